// SPDX-License-Identifier: Apache-2.0
package org.talos.server.simulation;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Threads of a scheduler's steps, of which one runs at a time. A thread runs one step after another. Where its step
 * waits, it suspends, and another thread continues with the next step: so steps end in any order.
 *
 * <p>While a step that holds locks is suspended, only such steps of its process run as take none of these locks. One
 * that waits for such a lock all the same ends the run.
 *
 * <p>Confined: the simulation's thread and, one at a time, the threads that it lets run.
 */
final class StepThreads implements AutoCloseable {
    private static final long LOOK_MILLIS = 250; // of real time
    private static final int MOST_LOOKS = 480;
    private static final int LOOKS_AT_A_LOCK = 20;
    private static final int LOOKS_AT_END = 2;
    private static final String REENTRANT_LOCK = ReentrantLock.class.getName();

    private final Scheduler scheduler;
    private final Deque<Carrier> idle = new ConcurrentLinkedDeque<>();
    private final List<Suspended> suspended = new ArrayList<>();
    private final List<Suspended> abandoned = new ArrayList<>(); // of processes that have ended
    private final Semaphore caller = new Semaphore(0);
    private BooleanSupplier round = () -> false;
    private volatile boolean closing;
    private volatile boolean closed;
    private volatile @Nullable Carrier running;
    private @Nullable Throwable failure;

    StepThreads(Scheduler scheduler) {
        this.scheduler = scheduler;
    }

    static boolean isCarrier(Thread thread) {
        return thread instanceof Carrier;
    }

    /** A thread that runs steps. Confined: as {@link StepThreads}. */
    private final class Carrier extends Thread {
        private final Semaphore resumed = new Semaphore(0);

        Carrier() {
            super("simulated steps");
            setDaemon(true);
            start();
        }

        @Override
        public void run() {
            sleepUntilResumed();
            while (!closed) {
                if (closing || failure != null || !runRound()) {
                    idle.push(this);
                    caller.release();
                    if (closed) {
                        return;
                    }
                    sleepUntilResumed();
                }
            }
        }

        private boolean runRound() {
            try {
                return round.getAsBoolean();
            } catch (RuntimeException | Error e) {
                if (failure == null && !closing) { // else it ends with the run
                    failure = e;
                }
                return false;
            }
        }

        void sleepUntilResumed() {
            resumed.acquireUninterruptibly();
            running = this;
        }
    }

    /** A step that waits. Confined: as {@link StepThreads}. */
    private final class Suspended {
        private final SimulatedProcess process;
        private final Wait wait;
        private final boolean light;
        private final Carrier carrier;
        private boolean woken; // guarded by the monitor that is waited for, if there is one

        Suspended(SimulatedProcess process, Wait wait, boolean light, Carrier carrier) {
            this.process = process;
            this.wait = wait;
            this.light = light;
            this.carrier = carrier;
        }

        boolean mayResume() {
            boolean isOver = scheduler.nanos() >= wait.untilNanos || wait.condition.getAsBoolean();
            return isOver && !process.isPaused() && process.mayRun(light, wait.holdsLocks);
        }

        /** Lets another thread run steps, and returns once this step is resumed. */
        void suspend(Carrier next) {
            Object monitor = wait.monitor;
            next.resumed.release();
            if (monitor == null) {
                carrier.sleepUntilResumed();
                return;
            }
            boolean interrupted = false;
            while (!woken) { // the caller holds the monitor, which this gives back meanwhile
                try {
                    monitor.wait();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            running = carrier;
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        void wake() {
            Object monitor = wait.monitor;
            if (monitor == null) {
                carrier.resumed.release();
            } else {
                synchronized (monitor) {
                    woken = true;
                    monitor.notifyAll();
                }
            }
        }
    }

    /**
     * Condition for which a step waits, until a time. Immutable.
     *
     * @param monitor given back meanwhile; null for none
     * @param holdsLocks the step holds other locks meanwhile
     */
    record Wait(
            long untilNanos,
            BooleanSupplier condition,
            @Nullable Object monitor,
            boolean holdsLocks) {
        static Wait until(long untilNanos, BooleanSupplier condition) {
            return new Wait(untilNanos, condition, null, false);
        }

        Wait under(boolean locks) {
            return new Wait(untilNanos, condition, monitor, locks);
        }
    }

    /** Runs rounds on other threads until one returns false. */
    void run(BooleanSupplier rounds) {
        round = rounds;
        next().resumed.release();
        awaitCaller();
        Throwable thrown = failure;
        if (thrown instanceof RuntimeException runtime) {
            throw runtime;
        }
        if (thrown != null) {
            throw (Error) thrown; // nothing else is caught
        }
    }

    private Carrier next() {
        Carrier found = idle.poll();
        return found == null ? new Carrier() : found;
    }

    private void awaitCaller() {
        int blocked = 0; // looks in a row
        for (int look = 0; look < MOST_LOOKS; look++) {
            if (isCallerNext()) {
                return;
            }
            Carrier now = running;
            boolean isBlocked = now != null && isBlocked(now);
            blocked = isBlocked ? blocked + 1 : 0;
            if (now != null && blocked >= LOOKS_AT_A_LOCK) {
                throw scheduler.violated(
                        Scheduler.BLOCKING, "a step waits for a lock of a suspended one: " + deadlock(now));
            }
        }
        throw new IllegalStateException("a step waits outside of the simulation: " + running);
    }

    private static boolean isBlocked(Thread thread) {
        Object blocker = LockSupport.getBlocker(thread);
        boolean waitsForLock = blocker != null && blocker.getClass().getName().startsWith(REENTRANT_LOCK);
        return thread.getState() == Thread.State.BLOCKED || waitsForLock;
    }

    private static String deadlock(Thread blocked) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long holder = threads.getThreadInfo(blocked.getId()).getLockOwnerId();
        ThreadInfo of = holder < 0 ? null : threads.getThreadInfo(holder, Integer.MAX_VALUE);
        return List.of(blocked.getStackTrace()) + (of == null ? "" : ", which has " + List.of(of.getStackTrace()));
    }

    private boolean isCallerNext() {
        try {
            return caller.tryAcquire(LOOK_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** Suspends the step that this thread runs; false if it runs none. */
    boolean suspend(SimulatedProcess process, Wait wait, boolean light) {
        if (closing) {
            throw new ProcessEnded(process.name());
        }
        if (!(Thread.currentThread() instanceof Carrier carrier)) {
            return false;
        }
        Suspended now = new Suspended(process, wait, light, carrier);
        suspended.add(now);
        now.suspend(next());
        if (closing) {
            throw new ProcessEnded(process.name());
        }
        return true;
    }

    /** Adds what resumes the steps that may be. */
    void offer(List<Runnable> ready) {
        for (Suspended each : suspended) {
            if (each.mayResume()) {
                ready.add(() -> resume(each));
            }
        }
    }

    private void resume(Suspended step) {
        suspended.remove(step);
        Carrier own = (Carrier) Thread.currentThread();
        idle.push(own);
        step.wake();
        own.sleepUntilResumed();
    }

    /** Steps of a process that was killed never continue. */
    void abandon(SimulatedProcess process) {
        suspended.stream().filter(each -> each.process == process).forEach(abandoned::add);
        suspended.removeAll(abandoned);
    }

    /** Returns when the next of them may continue. One that is due already waits for another one. */
    long nextDue() {
        return suspended.stream()
                .flatMapToLong(each -> LongStream.of(each.wait.untilNanos, each.process.pausedUntil()))
                .filter(due -> due > scheduler.nanos())
                .min()
                .orElse(Long.MAX_VALUE);
    }

    boolean isEmpty() {
        return suspended.isEmpty();
    }

    /** Ends all steps and their threads. */
    @Override
    public void close() {
        closing = true;
        List<Suspended> left = new ArrayList<>(suspended);
        left.addAll(abandoned);
        for (Suspended each : left) {
            each.wake();
            boolean ended = false;
            for (int look = 0; !ended && look < LOOKS_AT_END; look++) { // another one may have its lock
                ended = isCallerNext();
            }
        }
        closed = true;
        for (Carrier next = idle.poll(); next != null; next = idle.poll()) {
            next.resumed.release();
        }
    }
}
