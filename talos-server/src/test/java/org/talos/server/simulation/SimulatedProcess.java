// SPDX-License-Identifier: Apache-2.0
package org.talos.server.simulation;

import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.talos.server.runtime.Threads;
import org.talos.server.simulation.Scheduler.Frame;

/**
 * The threads of one process: loops, pools and timers, all run by the scheduler. It may pause, be frozen inside a call,
 * and be killed.
 *
 * <p>Confined: the simulation's thread.
 */
public final class SimulatedProcess implements Threads {
    private static final ThreadMXBean MONITORS = ManagementFactory.getThreadMXBean();
    /** A wait without a bound that lasts longer never ends. */
    private static final long FOR_EVER_NANOS = Duration.ofMinutes(30).toNanos();

    private final Scheduler scheduler;
    private final String name;
    private final List<SimulatedLoop> loops = new ArrayList<>();
    private final List<SimulatedPool> pools = new ArrayList<>();
    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>(Comparator.comparingLong(Timer::dueNanos).thenComparingLong(Timer::number));
    private boolean keepsTime; // else a wait with a bound waits for the end
    private boolean ended;
    private long pausedUntil;
    private int writing; // steps under way that write the journal
    private int calling; // steps under way in calls that may be made under a lock

    SimulatedProcess(Scheduler scheduler, String name) {
        this.scheduler = scheduler;
        this.name = name;
    }

    /** A task at a time. */
    private record Timer(long dueNanos, long number, Runnable task) {}

    /** Waits with a bound end by the clock, and it is not checked what they hold. */
    public SimulatedProcess keepingTime() {
        keepsTime = true;
        return this;
    }

    public boolean isEnded() {
        return ended;
    }

    void endNow() {
        ended = true;
        timers.clear();
    }

    /** Nothing of it runs for so long, as in a collection of garbage or when the machine is halted. */
    public void pause(long forNanos) {
        pausedUntil = Math.max(pausedUntil, scheduler.nanos() + forNanos);
    }

    /** Until when it is paused, or was. */
    public long pausedUntil() {
        return pausedUntil;
    }

    /** Whether it is paused now. */
    public boolean isPaused() {
        return pausedUntil > scheduler.nanos();
    }

    void begun(Frame frame) {
        writing += frame.writes ? 1 : 0;
    }

    void ended(Frame frame) {
        writing -= frame.writes ? 1 : 0;
    }

    /** Throws if it has been killed: whatever it asks for happens no more. */
    public void requireAlive() {
        if (ended) {
            throw new ProcessEnded(name);
        }
    }

    /**
     * A call to the outside takes so long. Others get on meanwhile; of this process only what neither takes locks nor
     * waits, or nothing if it is frozen.
     */
    public void call(long takesNanos, boolean frozen) {
        requireAlive();
        if (frozen) {
            pause(takesNanos);
        }
        calling++;
        try {
            scheduler.whileCalled(takesNanos);
        } finally {
            calling--;
        }
        requireAlive();
    }

    /** Like {@link #call} not frozen, made where no lock is held: anything of this process may run meanwhile. */
    public void callWithoutLock(long takesNanos) {
        requireAlive();
        scheduler.whileCalled(takesNanos);
        requireAlive();
    }

    /** Runs a step of this process now. */
    public void run(String step, Runnable task) {
        scheduler.note(name.isEmpty() ? step : name + " " + step);
        scheduler.run(this, step, task);
    }

    void runQuietly(String step, Runnable task) {
        scheduler.run(this, step, task);
    }

    /** Whether such a step of this process has begun and not ended. */
    boolean isBelow(String step) {
        return scheduler.stack().stream().anyMatch(frame -> frame.process == this && frame.name.equals(step));
    }

    void offer(List<Runnable> ready) {
        if (ended || isPaused()) {
            return;
        }
        for (SimulatedLoop loop : loops) {
            if (loop.isReady()) {
                ready.add(loop::runOnce);
            }
        }
        for (SimulatedPool pool : pools) {
            if (pool.isRunnable() && mayBegin(pool)) {
                ready.add(pool::runOnce);
            }
        }
        Timer next = timers.peek();
        if (next != null && next.dueNanos <= scheduler.nanos()) {
            ready.add(this::fire);
        }
    }

    private boolean mayBegin(SimulatedPool pool) {
        return (calling == 0 || pool.isLight()) && (writing == 0 || !pool.mayWait());
    }

    private void fire() {
        Timer due = timers.poll();
        if (due != null) {
            scheduler.run(this, "timer", due.task);
        }
    }

    /** When its next timer runs. */
    long nextDue() {
        Timer next = timers.peek();
        return next == null || ended ? Long.MAX_VALUE : Math.max(next.dueNanos, pausedUntil);
    }

    /** Runs a task, which must be short, at a time. */
    public void at(long dueNanos, Runnable task) {
        if (!ended) {
            timers.add(new Timer(dueNanos, scheduler.nextTimer(), task));
        }
    }

    /** Runs a task, which must be short, after a time. */
    public void after(long delayNanos, Runnable task) {
        at(scheduler.nanos() + delayNanos, task);
    }

    /** The time. */
    public long now() {
        return scheduler.nanos();
    }

    /** Runs a task after a time, even if this process has ended: what it sent is under way. */
    public void detached(long delayNanos, Runnable task) {
        scheduler.outside().after(delayNanos, task);
    }

    /** The copier's round that is due by time. */
    public void copierRound() {
        if (writing > 0 || calling > 0 || ended) {
            return;
        }
        loops.stream()
                .filter(loop -> loop.role.equals("segment-copier") && loop.isRunnable())
                .findFirst()
                .ifPresent(SimulatedLoop::runOnce);
    }

    @Override
    public Loop loop(String role, BooleanSupplier ready, BooleanSupplier step) {
        SimulatedLoop loop = new SimulatedLoop(role, ready, step);
        loops.add(loop);
        return loop;
    }

    @Override
    public ExecutorService pool(String role, int threads) {
        return pool(role, threads, true);
    }

    /** A pool; one whose tasks wait for nothing may run while the journal writes. */
    public SimulatedPool pool(String role, int threads, boolean mayWait) {
        SimulatedPool pool = new SimulatedPool(this, role, threads, mayWait);
        pools.add(pool);
        return pool;
    }

    @Override
    public void await(Object monitor, long millis) {
        requireAlive();
        checkLocks(monitor);
        if (keepsTime) {
            scheduler.waitUntil(millis == 0 ? Long.MAX_VALUE : scheduler.nanos() + millis * 1_000_000);
        } else if (!scheduler.waitOnce() && millis > 0) {
            scheduler.pass(millis * 1_000_000);
        }
        requireAlive();
    }

    /** What waits must not hold what the acknowledger, or a put, has to take. */
    private void checkLocks(Object awaited) {
        if (keepsTime) {
            return;
        }
        long self = Thread.currentThread().getId();
        for (MonitorInfo held : MONITORS.getThreadInfo(new long[] {self}, true, false)[0].getLockedMonitors()) {
            boolean own = held.getIdentityHashCode() == System.identityHashCode(awaited);
            if (!own && held.getClassName().startsWith("org.talos.server.log.")) {
                throw scheduler.violated(
                        Scheduler.BLOCKING,
                        "waits and holds the lock that its acknowledgement needs, taken at "
                                + held.getLockedStackFrame());
            }
        }
    }

    @Override
    public boolean acquire(Semaphore permits, long millis) {
        return permits.tryAcquire();
    }

    @Override
    public <V> V result(Future<V> future, long millis)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (!keepsTime) {
            return result(future);
        }
        long until = scheduler.nanos() + millis * 1_000_000;
        while (!future.isDone()) {
            if (scheduler.nanos() >= until) {
                throw new TimeoutException();
            }
            scheduler.check();
            scheduler.waitUntil(until);
            requireAlive();
        }
        return future.get();
    }

    @Override
    public <V> V result(Future<V> future) throws InterruptedException, ExecutionException {
        if (keepsTime) {
            try {
                return result(future, FOR_EVER_NANOS / 1_000_000);
            } catch (TimeoutException e) {
                throw scheduler.violated(Scheduler.BLOCKING, name + " waits for ever: " + scheduler.names());
            }
        }
        if (!future.isDone()) {
            checkLocks(future);
        }
        while (!future.isDone()) {
            scheduler.waitOnce();
        }
        return future.get();
    }

    /** A loop without a thread. Confined: the simulation's thread. */
    private final class SimulatedLoop implements Loop {
        private final String role;
        private final BooleanSupplier ready;
        private final BooleanSupplier step;
        private boolean started;
        private boolean busy;
        private boolean ended;

        SimulatedLoop(String role, BooleanSupplier ready, BooleanSupplier step) {
            this.role = role;
            this.ready = ready;
            this.step = step;
        }

        boolean isRunnable() {
            return started && !busy && !ended;
        }

        boolean isReady() {
            boolean waitingIsFine = writing == 0 && calling == 0;
            return isRunnable() && (waitingIsFine || !mayWait()) && ready.getAsBoolean();
        }

        boolean mayWait() {
            return role.equals("segment-copier");
        }

        void runOnce() {
            busy = true;
            try {
                Runnable once = () -> ended = !step.getAsBoolean();
                if (mayWait() && keepsTime) {
                    runQuietly(role, once); // each second
                } else {
                    SimulatedProcess.this.run(role, once);
                }
            } finally {
                busy = false;
            }
        }

        @Override
        public void start() {
            started = true;
        }

        @Override
        public void join() {
            while (started && !ended) {
                requireAlive();
                scheduler.waitOnce();
            }
        }
    }
}
