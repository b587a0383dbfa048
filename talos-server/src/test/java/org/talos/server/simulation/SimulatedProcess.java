// SPDX-License-Identifier: Apache-2.0
package org.talos.server.simulation;

import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.talos.server.runtime.thread.Threads;
import org.talos.server.simulation.Scheduler.Frame;
import org.talos.server.storage.journal.JournaledSegmentStore;

/**
 * The threads of one process: loops, pools and timers, all run by the scheduler. It may pause, be frozen inside a call,
 * and be killed.
 *
 * <p>Confined: the simulation's thread.
 */
public final class SimulatedProcess implements Threads {
    private static final ThreadMXBean MONITORS = ManagementFactory.getThreadMXBean();

    /** Its lock holds off deletions only: no put, no acknowledgement, and no read takes it. */
    private static final String DELETIONS = "org.talos.server.log.Expiry";

    private static final String STORE = JournaledSegmentStore.class.getName();
    private static final Set<String> LOCKS_NAME = Set.of("create", "recover", "delete", "deleteLog");
    /** The right wall clock's time when the scheduler's time is 0, ms since 1970. */
    public static final long WALL_MILLIS = 1_000_000_000L;

    /** A wait without a bound that lasts longer never ends. */
    private static final long FOR_EVER_NANOS = Duration.ofMinutes(30).toNanos();
    /** Longer than any call takes. */
    private static final long LONG_NANOS = Duration.ofMinutes(5).toNanos();

    private final Scheduler scheduler;
    private final String name;
    private final List<SimulatedLoop> loops = new ArrayList<>();
    private final List<SimulatedPool> pools = new ArrayList<>();
    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>(Comparator.comparingLong(Timer::dueNanos).thenComparingLong(Timer::number));
    private boolean ended;
    private long pausedUntil; // of the scheduler's time, as all that others ask for
    private long suspendedNanos;
    private long aheadMillis; // of the wall clock
    private int writing; // steps under way that write the journal
    private long stepsBegun;
    private int calling; // steps that are suspended and hold locks

    SimulatedProcess(Scheduler scheduler, String name) {
        this.scheduler = scheduler;
        this.name = name;
    }

    /** A task at a time. */
    private record Timer(long dueNanos, long number, Runnable task) {}

    /** Returns its name, which later processes may have, too. */
    public String name() {
        return name;
    }

    public boolean isEnded() {
        return ended;
    }

    void endNow() {
        ended = true;
        timers.clear();
    }

    /** Nothing of it runs for this time, as in a collection of garbage or when the machine is halted. */
    public void pause(long forNanos) {
        pausedUntil = Math.max(pausedUntil, scheduler.nanos() + forNanos);
    }

    /** Suspends its machine with its monotonic clock. The wall clock is right when it resumes. */
    public void suspend(long forNanos) {
        long before = Math.max(pausedUntil, scheduler.nanos());
        pause(forNanos);
        suspendedNanos += pausedUntil - before; // nobody on the machine reads a clock before it resumes
    }

    /** Returns how long its machine was suspended in total. */
    public long suspendedNanos() {
        return suspendedNanos;
    }

    /** Sets the machine's wall clock: so much ahead of the right time, or behind it if negative. */
    public void setClock(long nowAheadMillis) {
        aheadMillis = nowAheadMillis;
    }

    /** Returns the time of the machine's wall clock, ms since 1970. */
    public long wallMillis() {
        return WALL_MILLIS + scheduler.nanos() / 1_000_000 + aheadMillis;
    }

    /** Until when it is paused, or was. */
    public long pausedUntil() {
        return pausedUntil;
    }

    /** Returns whether it is paused now. */
    public boolean isPaused() {
        return pausedUntil > scheduler.nanos();
    }

    void begun(Frame frame) {
        writing += isInTheWay(frame) ? 1 : 0;
        stepsBegun++;
    }

    void ended(Frame frame) {
        writing -= isInTheWay(frame) ? 1 : 0;
    }

    /** Only a step that others run inside of keeps them from continuing. */
    private boolean isInTheWay(Frame frame) {
        return frame.writes && scheduler.nests();
    }

    boolean nests() {
        return scheduler.nests();
    }

    /** Returns whether a step waits that holds locks. */
    public boolean isCalling() {
        return calling > 0;
    }

    /** Returns whether a suspended step may continue, for all locks that other suspended steps may hold. */
    boolean mayRun(boolean light, boolean holdsLocks) {
        return light || calling == (holdsLocks ? 1 : 0);
    }

    /** Throws if it has been killed: whatever it asks for happens no more. */
    public void requireAlive() {
        if (ended) {
            throw new ProcessEnded(name);
        }
    }

    /**
     * A call to the outside takes so long. Others get on meanwhile: of this process nothing if it is frozen, and only
     * what takes no locks if the caller holds one.
     */
    public void call(long takesNanos, boolean frozen) {
        requireAlive();
        if (frozen) {
            pause(takesNanos);
        }
        callNow(takesNanos);
    }

    /** Suspends the step that runs. Outside of steps the time passes. */
    private void suspendOrPass(StepThreads.Wait wait) {
        boolean holdsLocks = holdsLocks(wait);
        calling += holdsLocks ? 1 : 0;
        try {
            if (!scheduler.suspend(this, wait.under(holdsLocks))) {
                scheduler.pass(Math.max(0, wait.untilNanos() - scheduler.nanos()));
            }
        } finally {
            calling -= holdsLocks ? 1 : 0;
        }
    }

    /**
     * Returns whether the step that runs holds a lock that holds up others, but for the one that it waits for. Only
     * monitors show. The other locks are those of segments' names, which a store holds while it makes, recovers, or
     * deletes them. They count only where the wait ends with time: whoever waits for other steps may wait for any of
     * them.
     */
    private boolean holdsLocks(StepThreads.Wait wait) {
        long self = Thread.currentThread().getId();
        ThreadInfo info = MONITORS.getThreadInfo(new long[] {self}, true, false)[0];
        int awaited = System.identityHashCode(wait.monitor());
        return Arrays.stream(info.getLockedMonitors()).anyMatch(each -> each.getIdentityHashCode() != awaited)
                || (wait.untilNanos() - scheduler.nanos() < LONG_NANOS
                        && Arrays.stream(info.getStackTrace()).anyMatch(SimulatedProcess::locksName));
    }

    private static boolean locksName(StackTraceElement frame) {
        return frame.getClassName().equals(STORE) && LOCKS_NAME.contains(frame.getMethodName());
    }

    /** Like {@link #call} not frozen. */
    public void call(long takesNanos) {
        requireAlive();
        callNow(takesNanos);
    }

    private void callNow(long takesNanos) {
        if (nests()) {
            scheduler.whileCalled(takesNanos);
        } else {
            suspendOrPass(StepThreads.Wait.until(scheduler.nanos() + takesNanos, () -> false));
        }
        requireAlive();
    }

    /** Runs a step of this process now. */
    public void run(String step, Runnable task) {
        run(step, false, task);
    }

    void run(String step, boolean light, Runnable task) {
        scheduler.note(name.isEmpty() ? step : name + " " + step);
        scheduler.run(this, step, light, task);
    }

    void runQuietly(String step, boolean light, Runnable task) {
        scheduler.run(this, step, light, task);
    }

    /** Returns whether such a step of this process has begun and not ended. */
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
        if (next != null && next.dueNanos <= now()) {
            ready.add(this::fire);
        }
    }

    private boolean mayBegin(SimulatedPool pool) {
        return (calling == 0 || pool.isLight()) && (writing == 0 || !pool.mayWait());
    }

    private void fire() {
        Timer due = timers.poll();
        if (due != null) {
            scheduler.run(this, "timer", true, due.task);
        }
    }

    /** Returns when its next timer runs. */
    long nextDue() {
        Timer next = timers.peek();
        return next == null || ended ? Long.MAX_VALUE : Math.max(next.dueNanos + suspendedNanos, pausedUntil);
    }

    /** Runs a task, which must be short, at a time of {@link #now}. */
    public void at(long dueNanos, Runnable task) {
        if (!ended) {
            timers.add(new Timer(dueNanos, scheduler.nextTimer(), task));
        }
    }

    /** Runs a task, which must be short, after a time. */
    public void after(long delayNanos, Runnable task) {
        at(now() + delayNanos, task);
    }

    /** The machine's monotonic time. */
    public long now() {
        return scheduler.nanos() - suspendedNanos;
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
        long untilNanos = millis == 0 ? Long.MAX_VALUE : scheduler.nanos() + millis * 1_000_000;
        if (!nests()) {
            long before = stepsBegun;
            suspendOrPass(new StepThreads.Wait(untilNanos, () -> stepsBegun > before, monitor, false));
        } else if (!scheduler.waitOnce() && millis > 0) {
            scheduler.pass(millis * 1_000_000);
        }
        requireAlive();
    }

    /** Checks that a waiting step holds no lock that the acknowledger, or a put, has to take. */
    private void checkLocks(Object awaited) {
        if (!nests()) {
            return;
        }
        long self = Thread.currentThread().getId();
        for (MonitorInfo held : MONITORS.getThreadInfo(new long[] {self}, true, false)[0].getLockedMonitors()) {
            boolean own = held.getIdentityHashCode() == System.identityHashCode(awaited);
            boolean ofPuts = held.getClassName().startsWith("org.talos.server.log.")
                    && !held.getClassName().equals(DELETIONS);
            if (!own && ofPuts) {
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
        if (nests()) {
            return result(future);
        }
        long until = now() + millis * 1_000_000;
        while (!future.isDone()) {
            if (now() >= until) {
                throw new TimeoutException();
            }
            scheduler.check();
            suspendOrPass(StepThreads.Wait.until(until + suspendedNanos, future::isDone));
            requireAlive();
        }
        return future.get();
    }

    @Override
    public <V> V result(Future<V> future) throws InterruptedException, ExecutionException {
        if (!nests()) {
            try {
                return result(future, FOR_EVER_NANOS / 1_000_000);
            } catch (TimeoutException e) {
                throw scheduler.violated(Scheduler.BLOCKING, name + " waits forever: " + scheduler.names());
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
                if (mayWait() && !nests()) {
                    runQuietly(role, false, once); // each second
                } else {
                    SimulatedProcess.this.run(role, !mayWait(), once);
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
                if (nests()) {
                    scheduler.waitOnce();
                } else {
                    suspendOrPass(StepThreads.Wait.until(scheduler.nanos() + FOR_EVER_NANOS, () -> ended));
                }
            }
        }
    }
}
