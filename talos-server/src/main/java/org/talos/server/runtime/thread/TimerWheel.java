// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.thread;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.time.Ticker;

/**
 * Runs tasks at deadlines, at most two ticks late and never early. It is a hashed wheel, so setting and canceling a
 * timeout cost the same however many wait. Only the turning thread accesses the wheel; others pass timeouts to it by
 * queues, so that they do not wait for each other. Tasks must be short and must not block, as all others wait behind
 * them.
 *
 * <p>The wheel turns by ticks while timeouts are set. If none was set for a tick, it sleeps until the next one is due.
 * Timeouts of later turns are kept apart, so that they are not visited before their turn.
 *
 * <p>Thread-safe.
 */
public final class TimerWheel implements AutoCloseable {
    /** Length of a tick. */
    static final long TICK_NANOS = 10_000_000;

    private static final Logger LOG = LoggerFactory.getLogger(TimerWheel.class);
    private static final int BUCKETS = 512;
    /** An hour, while there is nothing to do. */
    private static final long LONGEST_SLEEP_TICKS = 360_000;

    private final Ticker ticker;
    private final long originNanos;
    private final Queue<Timeout> added = new ConcurrentLinkedQueue<>();
    private final Queue<Timeout> cancelled = new ConcurrentLinkedQueue<>(); // of those in the wheel
    private final @Nullable Thread thread;
    private final List<Set<Timeout>> buckets = new ArrayList<>(BUCKETS); // of this turn; the turning thread's own
    private final NavigableMap<Long, Set<Timeout>> later = new TreeMap<>(); // by their turn; likewise
    private long nextTick; // likewise
    private boolean quiet; // likewise: none had been set when it last advanced
    private volatile boolean asleep;
    private volatile boolean closed;

    private TimerWheel(Ticker ticker, @Nullable NamedThreads threads) {
        this.ticker = ticker;
        originNanos = ticker.nanos();
        for (int i = 0; i < BUCKETS; i++) {
            buckets.add(new LinkedHashSet<>());
        }
        thread = threads == null ? null : threads.newThread(this::turn);
    }

    /** Returns a wheel that its own thread turns. */
    public static TimerWheel started(Ticker ticker) {
        TimerWheel wheel = new TimerWheel(ticker, new NamedThreads("timer"));
        if (wheel.thread != null) {
            wheel.thread.start();
        }
        return wheel;
    }

    /** Returns a wheel that turns only when {@link #advance} is called. */
    static TimerWheel byHand(Ticker ticker) {
        return new TimerWheel(ticker, null);
    }

    /** A task set to run once. Thread-safe. */
    public final class Timeout {
        private final Runnable task;
        private long tick; // the turning thread's own, once it is in the wheel
        private final AtomicReference<State> state = new AtomicReference<>(State.ADDED);

        private Timeout(Runnable task, long tick) {
            this.task = task;
            this.tick = tick;
        }

        /** Cancels the timeout; returns false if its task has run, runs now, or was canceled before. */
        public boolean cancel() {
            State was = state.getAndSet(State.ENDED);
            if (was == State.IN_WHEEL) {
                cancelled.add(this);
            }
            return was != State.ENDED;
        }
    }

    /** The place of a timeout. */
    private enum State {
        ADDED,
        IN_WHEEL,
        ENDED
    }

    /** Runs a task once the deadline has passed. */
    public Timeout schedule(long deadlineNanos, Runnable task) {
        // A timeout that is already due runs at the next tick, because its own tick has passed.
        long dueNanos = Math.max(deadlineNanos - originNanos, ticker.nanos() - originNanos);
        long tick = Math.max(0, dueNanos) / TICK_NANOS + 1;
        Timeout timeout = new Timeout(task, tick);
        added.add(timeout);
        if (asleep) {
            asleep = false;
            LockSupport.unpark(thread);
        }
        return timeout;
    }

    /** Runs all due tasks on this thread. For one caller at a time. */
    void advance() {
        // Read first: a timeout added from now on is due at a later tick, so no bucket is passed before it is in.
        long now = (ticker.nanos() - originNanos) / TICK_NANOS;
        takeIn();
        while (turn(nextTick) < turn(now)) {
            advanceTo(firstOf(turn(nextTick) + 1) - 1);
            long next = later.isEmpty() ? turn(now) : Math.min(turn(now), later.firstKey());
            nextTick = firstOf(next);
            for (Timeout each : later.getOrDefault(next, Set.of())) {
                bucket(each.tick).add(each);
            }
            later.remove(next);
        }
        advanceTo(now);
        nextTick = now; // once more: something may be set for the tick that is continuing
    }

    private void advanceTo(long last) {
        for (long tick = nextTick; tick <= last; tick++) {
            takeDue(bucket(tick), last).forEach(TimerWheel::run);
        }
    }

    /** Moves added timeouts to their places, and removes canceled ones; most are canceled before they reach it. */
    private void takeIn() {
        quiet = added.isEmpty();
        for (Timeout each = added.poll(); each != null; each = added.poll()) {
            if (each.state.compareAndSet(State.ADDED, State.IN_WHEEL)) {
                each.tick = Math.max(each.tick, nextTick); // its thread was paused meanwhile
                place(each).add(each);
            }
        }
        for (Timeout each = cancelled.poll(); each != null; each = cancelled.poll()) {
            remove(each);
        }
    }

    private Set<Timeout> place(Timeout timeout) {
        long turn = turn(timeout.tick);
        return turn == turn(nextTick)
                ? bucket(timeout.tick)
                : later.computeIfAbsent(turn, each -> new LinkedHashSet<>());
    }

    private void remove(Timeout timeout) {
        Set<Timeout> place = place(timeout);
        place.remove(timeout);
        long turn = turn(timeout.tick);
        if (place.isEmpty() && turn != turn(nextTick)) {
            later.remove(turn);
        }
    }

    private static long turn(long tick) {
        return tick / BUCKETS;
    }

    private static long firstOf(long turn) {
        return turn * BUCKETS;
    }

    private static List<Timeout> takeDue(Set<Timeout> bucket, long now) {
        if (bucket.isEmpty()) {
            return List.of();
        }
        List<Timeout> due = new ArrayList<>();
        for (Iterator<Timeout> each = bucket.iterator(); each.hasNext(); ) {
            Timeout timeout = each.next();
            if (timeout.tick <= now) {
                each.remove();
                due.add(timeout);
            }
        }
        return due;
    }

    private static void run(Timeout due) {
        if (due.state.getAndSet(State.ENDED) == State.ENDED) {
            return;
        }
        try {
            due.task.run();
        } catch (RuntimeException | Error e) { // Errors too: all deadlines depend on this thread
            LOG.error("timer task failed", e);
        }
    }

    private void turn() {
        while (!closed) {
            if (quiet) {
                sleep();
            } else {
                LockSupport.parkNanos(TICK_NANOS);
            }
            advance();
        }
    }

    /** Sleeps until a timeout is due or set. */
    private void sleep() {
        asleep = true; // before the read: a thread that sets an earlier timeout wakes this one
        if (added.isEmpty() && !closed) {
            long due = originNanos + nextDue() * TICK_NANOS - ticker.nanos();
            LockSupport.parkNanos(Math.max(TICK_NANOS, due));
        }
        asleep = false;
    }

    /** Returns the tick at which there may be work. */
    private long nextDue() {
        for (long tick = nextTick; turn(tick) == turn(nextTick); tick++) {
            if (!bucket(tick).isEmpty()) {
                return tick;
            }
        }
        return later.isEmpty() ? nextTick + LONGEST_SLEEP_TICKS : firstOf(later.firstKey());
    }

    /** Returns whether the thread sleeps until a timeout is due or set. */
    boolean isAsleep() {
        return asleep;
    }

    private Set<Timeout> bucket(long tick) {
        return buckets.get((int) (tick % BUCKETS));
    }

    @Override
    public void close() {
        closed = true;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
    }
}
