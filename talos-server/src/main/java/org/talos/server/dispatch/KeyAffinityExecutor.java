// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.config.PoolConfig;
import org.talos.server.metrics.BatchMetrics;
import org.talos.server.metrics.DispatchMetrics;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.Ticker;

/**
 * A pool of workers that runs the tasks of a key one after another, and different keys at once.
 *
 * <ul>
 *   <li>Tasks of one key and priority run in the order of their submission. Tasks that have accumulated run as one
 *       batch.
 *   <li>Every accepted task ends exactly once: run, expired, stopped, or failed because its batch threw.
 *   <li>A task whose deadline passes leaves its queue at that time; a task that has started runs to its end.
 *   <li>A lower priority is skipped for no longer than the pool's bound.
 * </ul>
 *
 * <p>Thread-safe.
 *
 * @param <K> the keys
 * @param <T> the tasks
 */
public final class KeyAffinityExecutor<K, T extends Task<K>> implements TaskExecutor<T>, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KeyAffinityExecutor.class);
    /** CPU time is measured for one batch in this many: reading it costs about as much as a short task. */
    private static final int CPU_SAMPLE_EVERY = 64;

    private static final int NO_WORKER = -1; // in place of its number: the thread that brought the task
    private static final int CLOCK_NOISE_BITS = 6; // the lowest bits of some clocks never change

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final BatchRunner<T> runner;
    private final Ticker ticker;
    private final Expiry expiry;
    private final DispatchMetrics metrics;
    private final WorkerQueues<K, T> queues;
    private final IdleWorkers idle;
    private final ActiveWorkers active;
    private final int leastWorkers;
    private final ThreadKind threads;
    private final IntPredicate hasReady;
    private final List<Worker> workers = new ArrayList<>();
    private final ReentrantLock closing = new ReentrantLock();
    private final Condition quiet = closing.newCondition();
    private volatile boolean refusing;
    private volatile boolean stopping;

    /** Starts the workers. */
    public KeyAffinityExecutor(
            ThreadKind threads,
            WorkerSelection selection,
            PoolConfig config,
            BatchRunner<T> runner,
            Ticker ticker,
            TimerWheel timers,
            DispatchMetrics metrics) {
        this.runner = runner;
        this.ticker = ticker;
        expiry = new Expiry(timers, ticker, this::endOverdue);
        this.metrics = metrics;
        queues = new WorkerQueues<>(selection, config);
        int most = selection.most(config.workers());
        idle = new IdleWorkers(most, selection.mayRunElsewhere());
        active = new ActiveWorkers(most);
        hasReady = queues::hasReady;
        leastWorkers = Math.min(most, threads.least(config.workers()));
        this.threads = threads;
        metrics.watch(queues::waiting, queues::running);
        metrics.watchWorkers(active::count);
        for (int number = 0; number < most; number++) {
            workers.add(new Worker(number));
        }
        resize(leastWorkers);
    }

    /**
     * Changes the number of workers, within the pool's limits. Has no effect on a pool that is being closed. A surplus
     * worker ends after its batch. The other workers run the waiting tasks: no task is in a worker's own queue, or else
     * the number never changes ({@link WorkerSelection#most}).
     */
    public void resize(int wanted) {
        try {
            active.resize(wanted, number -> workers.get(number).start());
        } finally { // also when the system has no thread left for all of them
            int count = active.count();
            workers.subList(count, workers.size()).forEach(Worker::wakeToEnd);
        }
    }

    /** Returns the number of workers, without surplus ones that are about to end. */
    public int workers() {
        return active.count();
    }

    /** Returns whether the number of workers is computed from measurements. */
    boolean isTuned() {
        return leastWorkers < workers.size();
    }

    /** Returns the most workers that it may have. */
    int mostWorkers() {
        return workers.size();
    }

    /** Returns the number of keys with waiting or running tasks. Examines all recent keys. */
    int keys() {
        return queues.keys();
    }

    /** Returns the number of workers that have a task, or look for one. */
    int awake() {
        return Math.max(0, active.count() - idle.count());
    }

    /** Returns the use of processors by its workers, and their waits. */
    ProcessorUse processorUse() {
        return threads.use(this);
    }

    /** Returns the number of worker threads that run, or could run. */
    int runnable() {
        return (int) started().filter(Worker::isRunnable).count();
    }

    /** Returns the times of the workers' threads; of none, unless their number is tuned and they have one each. */
    List<ThreadTimes> threadTimes() {
        return started().flatMap(each -> Stream.ofNullable(each.times)).toList();
    }

    private Stream<Worker> started() {
        return workers.subList(0, active.count()).stream();
    }

    @Override
    public Submission submit(T task) {
        Submission submission = queue(task);
        if (submission != Submission.ACCEPTED) {
            metrics.refused();
            signalIfClosing(); // for a moment it counted as waiting
        }
        return submission;
    }

    private Submission queue(T task) {
        if (refusing) {
            return Submission.REFUSED_STOPPED;
        }
        if (!queues.reserve()) {
            return Submission.REFUSED_FULL;
        }
        Entry<K, T> entry = queues.add(task, ticker.nanos());
        if (entry == null) {
            return Submission.REFUSED_KEY_FULL;
        }
        if (stopping && queues.remove(entry)) {
            return Submission.REFUSED_STOPPED; // no worker would poll for it any more
        }
        wake(entry.worker());
        expiry.queued(task.deadlineNanos());
        return Submission.ACCEPTED;
    }

    /**
     * Runs a task on this thread, as a batch of its own, if no task waits in the executor and none of its key runs. For
     * callers that would only wait for the worker. Blocks while the task runs.
     *
     * @return false if it must be submitted instead; it has not started then
     */
    public boolean tryRun(T task) {
        long now = ticker.nanos();
        Entry<K, T> batch = refusing ? null : queues.start(task, now);
        if (batch == null) {
            return false;
        }
        boolean runs = !refusing; // checked again: close() waits for tasks that started before it, and for no others
        try {
            if (runs) {
                var unused = runBatch(batch, now, NO_WORKER, metrics.callers());
            }
        } finally {
            if (queues.done(batch)) {
                wake(batch.worker());
            }
            signalIfClosing();
        }
        return runs;
    }

    /** Wakes an idle worker: the one that a task is queued for, or another one that may run it. */
    private void wake(int preferred) {
        int chosen = idle.choose(preferred, hasReady);
        if (chosen != IdleWorkers.NOBODY) {
            workers.get(chosen).unpark();
        }
    }

    /** Ends the waiting tasks whose deadline has passed; returns the earliest deadline of the others. */
    private OptionalLong endOverdue() {
        List<Entry<K, T>> overdue = new ArrayList<>();
        try {
            return queues.takeOverdue(ticker.nanos(), overdue);
        } finally { // also those of a scan that had no memory to end
            for (Entry<K, T> entry : overdue) {
                endExpired(entry.task());
            }
            if (!overdue.isEmpty()) {
                signalIfClosing();
            }
        }
    }

    private void endExpired(T task) {
        TaskOutcomes.expired(task);
        metrics.expired();
    }

    @Override
    public void countRefused() {
        metrics.refused();
    }

    /** Returns the number of waiting tasks. */
    public long waiting() {
        return queues.waiting();
    }

    /**
     * Refuses new tasks, runs or expires the waiting ones until the grace period ends, stops the rest, and waits for
     * the running ones. May be called again, but not by a task that runs on its caller's thread.
     */
    public void close(Duration grace) {
        refusing = true;
        awaitQuiet(grace);
        stopping = true; // from here on, the submitter removes a task that comes late
        stopWaiting();
        active.close();
        workers.forEach(Worker::wakeToEnd);
        workers.forEach(Worker::join);
        awaitCallers();
    }

    private void stopWaiting() {
        List<Entry<K, T>> waiting = new ArrayList<>();
        try {
            queues.drain(waiting);
        } finally { // also if there was no memory for all
            waiting.forEach(entry -> TaskOutcomes.stopped(entry.task()));
        }
    }

    /** Waits for tasks on callers' threads. The workers have ended, except for one that closes its own executor. */
    private void awaitCallers() {
        int own = workers.stream().anyMatch(Worker::isCurrent) ? 1 : 0;
        closing.lock();
        try {
            while (queues.running() > own) {
                quiet.awaitUninterruptibly();
            }
        } finally {
            closing.unlock();
        }
    }

    private void awaitQuiet(Duration grace) {
        long left = grace.toNanos();
        closing.lock();
        try {
            while (left > 0 && !queues.isQuiet()) {
                left = quiet.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // stop the waiting tasks now
        } finally {
            closing.unlock();
        }
    }

    /** Wakes the thread that closes the pool. Called when a task has ended. That thread checks the rest itself. */
    private void signalIfClosing() {
        if (refusing) {
            closing.lock();
            try {
                quiet.signalAll();
            } finally {
                closing.unlock();
            }
        }
    }

    /** Like {@link #close(Duration)}, without a grace period. */
    @Override
    public void close() {
        close(Duration.ZERO);
    }

    /**
     * Runs a batch and ends its tasks, whatever they throw.
     *
     * @param startNanos now
     * @param worker that runs it, or {@link #NO_WORKER}
     * @return when it ended, in nanoseconds of the ticker
     */
    private long runBatch(Entry<K, T> batch, long startNanos, int worker, BatchMetrics measured) {
        try {
            return runInTime(batch, startNanos, measured);
        } catch (RuntimeException | Error e) {
            for (Entry<K, T> entry = batch; entry != null; entry = Chain.after(entry)) {
                TaskOutcomes.failed(entry.task(), e);
            }
            LOG.error("batch failed worker={} tasks={}", worker, Chain.length(batch), e);
            metrics.failed();
            return ticker.nanos();
        }
    }

    /** Runs the tasks of a batch whose deadline has not passed. */
    private long runInTime(Entry<K, T> batch, long startNanos, BatchMetrics measured) {
        List<T> tasks = startedInTime(batch, startNanos, measured);
        if (tasks.isEmpty()) {
            return ticker.nanos(); // to end them has taken its time
        }
        long cpu = (startNanos >> CLOCK_NOISE_BITS) % CPU_SAMPLE_EVERY == 0 ? THREADS.getCurrentThreadCpuTime() : -1;
        runner.run(tasks);
        long end = ticker.nanos();
        measured.ran(tasks.size(), end - startNanos);
        if (cpu >= 0) { // unknown for a virtual thread
            metrics.usedCpu(THREADS.getCurrentThreadCpuTime() - cpu);
        }
        return end;
    }

    /** Ends the tasks whose deadline has passed. Most batches have one task. */
    private List<T> startedInTime(Entry<K, T> batch, long startNanos, BatchMetrics measured) {
        if (Chain.after(batch) == null) {
            return startsInTime(batch, startNanos, measured) ? List.of(batch.task()) : List.of();
        }
        List<T> tasks = new ArrayList<>();
        for (Entry<K, T> entry = batch; entry != null; entry = Chain.after(entry)) {
            if (startsInTime(entry, startNanos, measured)) {
                tasks.add(entry.task());
            }
        }
        return tasks;
    }

    private boolean startsInTime(Entry<K, T> entry, long startNanos, BatchMetrics measured) {
        if (entry.task().deadlineNanos() - startNanos < 0) {
            endExpired(entry.task()); // not checked yet
            return false;
        }
        measured.started(Math.max(0, startNanos - entry.submittedNanos())); // it may have come just now
        return true;
    }

    /** One worker: a thread that takes batches from its queue. Thread-safe. */
    private final class Worker {
        private final int number;
        private volatile @Nullable Thread thread; // the newest one, none before the first
        private volatile @Nullable ThreadTimes times; // its own
        private @Nullable BatchMetrics measured; // none before its first start, then the same for all its threads
        private long now; // by the ticker, when its thread last looked; used only by that thread

        Worker(int number) {
            this.number = number;
        }

        /**
         * Starts the worker's thread, under the lock of the active workers. Its previous thread has left its
         * measurements.
         */
        void start() {
            if (measured == null) {
                measured = metrics.newWorker();
            }
            BatchMetrics batchMetrics = measured;
            Thread started = threads.newThread(() -> run(batchMetrics));
            thread = started;
            started.start();
        }

        boolean isRunnable() {
            Thread current = thread;
            return current != null && current.getState() == Thread.State.RUNNABLE;
        }

        void unpark() {
            LockSupport.unpark(thread);
        }

        void wakeToEnd() {
            if (idle.remove(number)) {
                unpark();
            }
        }

        boolean isCurrent() {
            return thread == Thread.currentThread();
        }

        void join() {
            Thread started = thread;
            if (started == null || isCurrent()) {
                return;
            }
            boolean interrupted = false;
            while (true) {
                try {
                    started.join();
                    break;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        private void run(BatchMetrics batchMetrics) {
            if (isTuned()) {
                times = threads.timesOfCurrentThread();
            }
            now = ticker.nanos();
            for (Entry<K, T> batch = next(); batch != null; batch = next()) {
                if (idle.any() && queues.hasReady(number)) {
                    wake(number);
                }
                try {
                    now = runBatch(batch, now, number, batchMetrics);
                } finally {
                    // Clears an interrupt that a task has left: it would close the file that the next one writes to.
                    var unused = Thread.interrupted();
                    queues.done(batch);
                    signalIfClosing();
                }
            }
            if (queues.hasReady(number)) {
                wake(number); // it may have been woken for tasks that it does not take
            }
        }

        /** Waits for a batch; returns null when the executor stops, or the worker is surplus. */
        private @Nullable Entry<K, T> next() {
            if (active.ends(number)) {
                return null;
            }
            Entry<K, T> batch = queues.poll(number, now);
            while (batch == null && !stopping) {
                idle.add(number);
                batch = lookAgain();
                if (batch == null && !stopping && active.isActive(number)) {
                    while (idle.isIdle(number)) {
                        LockSupport.park(this);
                        var unused = Thread.interrupted(); // otherwise park would return at once from now on
                    }
                    idle.woken();
                    batch = lookAgain();
                } else {
                    idle.withdraw(number);
                }
                if (batch == null && active.ends(number)) {
                    return null;
                }
            }
            return batch;
        }

        private @Nullable Entry<K, T> lookAgain() {
            now = ticker.nanos();
            return queues.poll(number, now);
        }
    }
}
