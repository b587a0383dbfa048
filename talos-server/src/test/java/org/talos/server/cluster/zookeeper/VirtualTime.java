// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;

/**
 * A time that passes only from event to event. What an event does takes no time but what it says that it takes.
 *
 * <p>Confined: the simulation's thread.
 */
final class VirtualTime {
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::number));
    private long now;
    private long spent; // by the event that runs
    private long number;

    /** Something that happens. Immutable. */
    private record Event(long at, long number, Runnable what) {}

    long nanos() {
        return now + spent;
    }

    /** The event that runs takes so long more. */
    void spend(long nanos) {
        spent += nanos;
    }

    void after(long nanos, Runnable what) {
        events.add(new Event(nanos() + nanos, number++, what));
    }

    /** Runs events until the condition holds, which is asked as often; false if it does not within that time. */
    boolean run(BooleanSupplier condition, Duration asked, Duration within) {
        long end = now + within.toNanos();
        long next = now;
        while (now < end) {
            if (now >= next) {
                if (condition.getAsBoolean()) {
                    return true;
                }
                next = now + asked.toNanos();
            }
            Event event = events.poll();
            if (event == null) {
                return condition.getAsBoolean();
            }
            now = Math.max(now, event.at);
            event.what.run();
            spent = 0;
        }
        return condition.getAsBoolean();
    }

    /** One thread: its steps run one after another. */
    final class Lane {
        private final Deque<Runnable> steps = new ArrayDeque<>();
        private boolean running;
        private boolean closed;

        void run(Runnable step) {
            steps.add(step);
            if (!running) {
                running = true;
                after(0, this::next);
            }
        }

        private void next() {
            Runnable step = closed ? null : steps.poll();
            running = step != null;
            if (step != null) {
                step.run();
                after(0, this::next); // once the time that it took has passed
            }
        }

        /** Drops what waits. */
        void close() {
            closed = true;
            steps.clear();
        }
    }
}
