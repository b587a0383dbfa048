// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log.simulation;

import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.talos.server.runtime.Threads;

/**
 * Runs what would run on threads as steps of one, in an order that a seed gives. A step that waits, or reaches the disk
 * at a place where others could get on, has other steps run inside it: so a step that began later ends earlier, which
 * is one of the orders that threads may take. What would deadlock only for that order is not begun there.
 *
 * <p>Locks do not hold a thread off from itself. So whoever waits may hold none that others need on their way: that is
 * checked at each wait.
 *
 * <p>Confined: the simulation's thread.
 */
final class Scheduler implements Threads {
    /** Steps in a row, while somebody waits, that lead nowhere: then nothing ever will. */
    private static final int PATIENCE = 3_000;

    private static final int DEEPEST = 12;
    private static final String ORDER = "producers_first";
    static final String BLOCKING = "nothing_blocks";

    /** Promises that are not asked for, to see what is behind those that break first. */
    static final Set<String> PASSED_OVER =
            Set.of(System.getProperty("talos.simulation.passedOver", "").split(","));

    private static final ThreadMXBean MONITORS = ManagementFactory.getThreadMXBean();

    private final Random random;
    private final List<String> history;
    private final List<SimulatedLoop> loops = new ArrayList<>();
    private final List<Pool> pools = new ArrayList<>();
    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>(Comparator.comparingLong(Timer::dueNanos).thenComparingLong(Timer::number));
    private final Deque<Frame> stack = new ArrayDeque<>();
    private Runnable bystander = () -> {};
    private long nanos;
    private long timersMade;
    private int fruitless;
    private @Nullable Violation violation;

    Scheduler(Random random, List<String> history, long nanos) {
        this.random = random;
        this.history = history;
        this.nanos = nanos;
    }

    /** A step that has begun and not ended. */
    static final class Frame {
        private final String name;
        private final boolean acknowledges;
        private final boolean writes;
        private @Nullable String readerTold;

        Frame(String name) {
            this.name = name;
            writes = name.equals("journal");
            acknowledges = writes || name.equals("journal-acknowledger");
        }
    }

    /** Hears what producers and readers find. Confined: the simulation's thread. */
    interface Told {
        /** A producer is told that its put is stored. */
        void acknowledged(String what);

        /** Something did not hold. */
        Violation violated(String promise, String what);
    }

    private record Timer(long dueNanos, long number, Runnable task) {}

    /** What else happens while a step waits: clients and operators go on. What waits is only begun where it may. */
    void bystander(Runnable step) {
        bystander = step;
    }

    long nanos() {
        return nanos;
    }

    void pass(long more) {
        nanos += more;
    }

    /** Records what did not hold: on its way up the code under test may take it for a failure of its own. */
    Violation violated(String promise, String what) {
        Violation found = new Violation(promise, what);
        if (violation == null) {
            violation = found;
            note("VIOLATED " + found.getMessage());
        }
        return found;
    }

    /** Throws the first violation, if there was one. */
    void check() {
        if (violation != null) {
            throw violation;
        }
    }

    int depth() {
        return stack.size();
    }

    /** Whether what is chosen now must not wait for the journal: its writer is below. */
    boolean isInsideWriter() {
        return stack.stream().anyMatch(frame -> frame.writes);
    }

    void run(String name, Runnable step) {
        note(name);
        stack.push(new Frame(name));
        try {
            step.run();
        } finally {
            stack.pop();
        }
    }

    void note(String what) {
        history.add(nanos / 1_000_000 + " " + "  ".repeat(stack.size()) + what);
    }

    /** A waiting reader's answer would be made now. */
    void readerTold(String who) {
        Frame frame = stack.peek();
        if (frame != null) {
            frame.readerTold = who;
        }
    }

    /** A producer is told now: no reader's answer may have held that up. */
    void acknowledged(String who) {
        Frame frame = stack.peek();
        boolean asked = !PASSED_OVER.contains(ORDER);
        if (asked && frame != null && frame.readerTold != null) {
            throw violated(
                    ORDER,
                    who + " is acknowledged behind the answer of " + frame.readerTold + ", by the same step "
                            + frame.name);
        }
    }

    /** Runs one step that is ready; false if there is none. */
    boolean step() {
        List<Runnable> ready = new ArrayList<>();
        boolean mayWait = !isInsideWriter();
        loops.stream()
                .filter(loop -> loop.isRunnable() && (mayWait || !loop.mayWait()) && loop.ready.getAsBoolean())
                .forEach(loop -> ready.add(loop::runOnce));
        pools.stream()
                .filter(pool -> pool.isRunnable() && (mayWait || !pool.mayWait))
                .forEach(pool -> ready.add(pool::runOnce));
        if (isTimerDue()) {
            ready.add(this::fire);
        }
        if (ready.isEmpty()) {
            return false;
        }
        ready.get(random.nextInt(ready.size())).run();
        return true;
    }

    private boolean isTimerDue() {
        Timer next = timers.peek();
        return next != null && next.dueNanos <= nanos;
    }

    private void fire() {
        Timer due = timers.remove();
        run("timer", due.task);
    }

    /** Lets time pass to the next timer, or for the copier's round, when nothing is ready. */
    void skipTime() {
        Timer next = timers.peek();
        if (next != null && random.nextInt(4) > 0) {
            nanos = Math.max(nanos, next.dueNanos);
        } else {
            nanos += 1_000_000_000L;
            copierRound();
        }
    }

    /** The copier's round that is due by time. */
    void copierRound() {
        if (isInsideWriter()) {
            return;
        }
        loops.stream()
                .filter(loop -> loop.role.equals("segment-copier") && loop.isRunnable())
                .findFirst()
                .ifPresent(SimulatedLoop::runOnce);
    }

    /** Another step may come before the disk has done what the current one asks of it. */
    void onDisk(String operation, String file) {
        Frame frame = stack.peek();
        boolean isIndex = file.endsWith(".index.new") && !operation.equals("read"); // held by no lock
        if (frame == null || !(frame.writes || isIndex) || stack.size() >= DEEPEST || random.nextInt(3) > 0) {
            return;
        }
        note(operation + " " + file + " takes its time");
        for (int i = random.nextInt(3); i >= 0; i--) {
            meanwhile();
        }
    }

    private void meanwhile() {
        if (stack.size() < DEEPEST && random.nextInt(3) == 0) {
            bystander.run();
        } else {
            step();
        }
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
    Pool pool(String role, int threads, boolean mayWait) {
        Pool pool = new Pool(role, threads, mayWait);
        pools.add(pool);
        return pool;
    }

    @Override
    public void await(Object monitor, long millis) {
        checkLocks(monitor);
        if (!waitOnce() && millis > 0) {
            nanos += millis * 1_000_000;
        }
    }

    /** Lets others get on; false if nobody could. */
    private boolean waitOnce() {
        Frame frame = stack.peek();
        if (frame != null && frame.acknowledges) {
            throw violated(BLOCKING, frame.name + " waits");
        }
        if (stack.size() < DEEPEST && random.nextInt(4) == 0) {
            bystander.run();
        }
        if (step()) {
            fruitless = 0;
            return true;
        }
        if (++fruitless > PATIENCE) {
            throw violated(BLOCKING, "waits for ever: " + names());
        }
        skipTime();
        return false;
    }

    private String names() {
        return stack.stream().map(frame -> frame.name).toList().toString();
    }

    /** What waits must not hold what the acknowledger, or a put, has to take. */
    private void checkLocks(Object awaited) {
        long self = Thread.currentThread().getId();
        for (MonitorInfo held : MONITORS.getThreadInfo(new long[] {self}, true, false)[0].getLockedMonitors()) {
            boolean own = held.getIdentityHashCode() == System.identityHashCode(awaited);
            if (!own && held.getClassName().startsWith("org.talos.server.log.")) {
                throw violated(
                        BLOCKING,
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
    public <V> V result(Future<V> future, long millis) throws InterruptedException, ExecutionException {
        return result(future);
    }

    @Override
    public <V> V result(Future<V> future) throws InterruptedException, ExecutionException {
        if (!future.isDone()) {
            checkLocks(future);
        }
        while (!future.isDone()) {
            waitOnce();
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

        boolean mayWait() {
            return role.equals("segment-copier");
        }

        void runOnce() {
            busy = true;
            try {
                run(role, () -> ended = !step.getAsBoolean());
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
                waitOnce();
            }
        }
    }

    /** An executor without threads: as many of its tasks are under way at once as it would have. */
    final class Pool extends AbstractExecutorService implements ScheduledExecutorService {
        private final String role;
        private final int threads;
        private final boolean mayWait;
        private final Deque<Runnable> queue = new ArrayDeque<>();
        private final Set<String> waitsFor = new HashSet<>();
        private int running;

        Pool(String role, int threads, boolean mayWait) {
            this.role = role;
            this.threads = threads;
            this.mayWait = mayWait;
        }

        /** This one's tasks wait for those of other pools: none is begun while one of them stands below it. */
        Pool behind(String... others) {
            waitsFor.addAll(List.of(others));
            return this;
        }

        boolean isRunnable() {
            return !queue.isEmpty()
                    && running < threads
                    && stack.stream().noneMatch(frame -> waitsFor.contains(frame.name));
        }

        void runOnce() {
            Runnable task = queue.removeFirst();
            running++;
            try {
                Scheduler.this.run(role, task);
            } finally {
                running--;
            }
        }

        @Override
        public void execute(Runnable task) {
            queue.addLast(task);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            timers.add(new Timer(nanos + unit.toNanos(delay), timersMade++, () -> execute(task)));
            return new FutureOfNobody();
        }

        @Override
        public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
            throw new UnsupportedOperationException("nobody asks for it");
        }

        @Override
        public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long first, long period, TimeUnit unit) {
            throw new UnsupportedOperationException("nobody asks for it");
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long first, long delay, TimeUnit unit) {
            throw new UnsupportedOperationException("nobody asks for it");
        }

        @Override
        public void shutdown() {
            // What is queued still runs.
        }

        @Override
        public List<Runnable> shutdownNow() {
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return false;
        }
    }
}
