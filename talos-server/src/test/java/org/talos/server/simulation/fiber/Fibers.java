// SPDX-License-Identifier: Apache-2.0
package org.talos.server.simulation.fiber;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.talos.server.simulation.ProcessEnded;
import org.talos.server.simulation.Violation;

/**
 * Runs fibers of several machines on virtual time. A fiber suspends wherever its code waits, on its own stack, so that
 * the steps of others interleave with it in any order, not only nested ones. Of what is due at once, a seed chooses the
 * next. A fiber must not suspend under a lock that others take.
 *
 * <p>Confined: the simulation's thread and, one at a time, the threads that it lets run.
 */
public final class Fibers implements AutoCloseable {
    private static final int REAL_SECONDS = 120;

    private final Random random;
    private final List<String> history;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparingLong(Event::due).thenComparingLong(Event::order));
    private final Deque<Carrier> idle = new ArrayDeque<>();
    private final Set<Carrier> busy = new HashSet<>();
    private final Semaphore mine = new Semaphore(0);
    private final FiberMachine outside = new FiberMachine(this, "");
    private long nanos = TimeUnit.SECONDS.toNanos(1);
    private boolean closing;
    private @Nullable Carrier running;
    private @Nullable Error failure;

    /** Nothing runs yet. The history gets what is noted. */
    public Fibers(Random random, List<String> history) {
        this.random = random;
        this.history = history;
    }

    /** A task that is due at a time on a machine. Immutable. */
    private record Event(long due, long order, FiberMachine machine, Runnable task) {}

    /** A thread that runs one fiber after another. Confined: as {@link Fibers}. */
    private final class Carrier extends Thread {
        private final Semaphore resumed = new Semaphore(0);
        private FiberMachine machine = outside;
        private @Nullable Runnable task;

        Carrier() {
            super("fiber");
            setDaemon(true);
            start();
        }

        @Override
        public void run() {
            while (true) {
                resumed.acquireUninterruptibly();
                Runnable next = task;
                if (next == null) {
                    return;
                }
                try {
                    next.run();
                } catch (RuntimeException | Error e) {
                    fail(e);
                } finally {
                    busy.remove(this);
                    idle.push(this);
                    mine.release();
                }
            }
        }
    }

    private void fail(Throwable thrown) {
        if (failure == null && !closing) { // else it ends with the run
            failure = thrown instanceof Error error ? error : new AssertionError("a fiber failed: " + thrown, thrown);
        }
    }

    /** Returns whether a thread runs fibers. */
    public static boolean isFiber(Thread thread) {
        return thread instanceof Carrier;
    }

    /** Returns the time, nanoseconds. */
    public long nanos() {
        return nanos;
    }

    /** Returns what never pauses: clients, the network, and the simulation's own events. */
    public FiberMachine outside() {
        return outside;
    }

    /** Returns a new machine. */
    public FiberMachine machine(String name) {
        return new FiberMachine(this, name);
    }

    /** Adds to the history. */
    public void note(String what) {
        Carrier now = running;
        String machine = now == null || now.machine == outside ? "" : now.machine.name() + ": ";
        history.add(nanos / 1_000_000 + " " + machine + what);
    }

    /** Records that a promise was broken. The run ends with it, whether the caller throws it or not. */
    public Violation violated(String promise, String what) {
        note("VIOLATED " + promise + ": " + what);
        Violation violation = new Violation(promise, what);
        fail(violation);
        return violation;
    }

    /** Runs a task once so much time has passed. The task must not suspend. */
    public void after(long delayNanos, FiberMachine machine, Runnable task) {
        events.add(new Event(nanos + Math.max(0, delayNanos), random.nextInt() & 0xffffffffL, machine, task));
    }

    /** Starts a fiber. */
    public void spawn(FiberMachine machine, Runnable task) {
        after(0, machine, () -> {
            Carrier carrier = idle.isEmpty() ? new Carrier() : idle.pop();
            carrier.machine = machine;
            carrier.task = task;
            busy.add(carrier);
            pass(carrier);
        });
    }

    private void pass(Carrier to) {
        running = to;
        to.resumed.release();
        try {
            if (!mine.tryAcquire(REAL_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException(
                        "a fiber waits outside of the simulation: " + List.of(to.getStackTrace()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } finally {
            running = null;
        }
    }

    /** Suspends the fiber that calls this for a time. */
    public void sleep(long delayNanos) {
        FiberMachine machine = current().machine;
        suspend(resume -> after(delayNanos, machine, resume));
    }

    /** Suspends the fiber that calls this until the stage has ended, at most for a time; returns whether it has. */
    public boolean await(CompletionStage<?> stage, long timeoutNanos) {
        FiberMachine machine = current().machine;
        suspend(resume -> {
            var unused = stage.whenComplete((done, error) -> after(0, machine, resume));
            after(timeoutNanos, machine, resume);
        });
        return stage.toCompletableFuture().isDone();
    }

    private Carrier current() {
        Carrier me = running;
        if (me == null || me != Thread.currentThread()) {
            throw violated("only fibers wait", "an event waits");
        }
        return me;
    }

    private void suspend(Consumer<Runnable> arrange) {
        Carrier me = current();
        if (closing) {
            throw new ProcessEnded(me.machine.name());
        }
        boolean[] resumed = new boolean[1];
        arrange.accept(() -> {
            if (!resumed[0]) {
                resumed[0] = true;
                pass(me);
            }
        });
        mine.release();
        me.resumed.acquireUninterruptibly();
        if (closing) {
            throw new ProcessEnded(me.machine.name());
        }
    }

    /** Lets what is due happen until so much time has passed. */
    public void run(long durationNanos) {
        long end = nanos + durationNanos;
        while (failure == null && !events.isEmpty() && events.peek().due <= end) {
            Event event = events.remove();
            nanos = Math.max(nanos, event.due);
            if (event.machine.isPaused()) {
                after(event.machine.pausedUntil() - nanos, event.machine, event.task);
            } else if (!event.machine.isEnded()) {
                event.task.run();
            }
        }
        nanos = Math.max(nanos, end);
        if (failure != null) {
            throw failure;
        }
    }

    /** Ends all fibers and their threads. */
    @Override
    public void close() {
        closing = true;
        for (Carrier each : new ArrayList<>(busy)) {
            while (busy.contains(each)) {
                pass(each);
            }
        }
        idle.forEach(each -> {
            each.task = null;
            each.resumed.release();
        });
        idle.clear();
    }
}
