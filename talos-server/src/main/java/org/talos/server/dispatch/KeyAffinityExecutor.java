// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.config.DispatchConfig.SelectionPolicy;
import org.talos.server.config.PoolConfig;
import org.talos.server.dispatch.WorkerQueues.Entry;
import org.talos.server.metrics.DispatchMetrics;
import org.talos.server.runtime.NamedThreads;
import org.talos.server.runtime.Ticker;
import org.talos.server.runtime.TimerWheel;

/**
 * A pool of workers that runs the tasks of a key one after another, and different keys at once.
 *
 * <ul>
 *   <li>Tasks of one key and priority run in the order of their submission, those that have gathered as one batch.
 *   <li>Every accepted task ends exactly once: run, expired or stopped.
 *   <li>A task whose deadline passes leaves its queue then; one that has started is left to finish.
 *   <li>A lower priority is passed over for no longer than the pool's bound.
 * </ul>
 *
 * <p>Thread-safe.
 *
 * @param <K> the keys
 * @param <T> the tasks
 */
public final class KeyAffinityExecutor<K, T extends Task<K>> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KeyAffinityExecutor.class);
    /** CPU time is measured for one batch in this many: to ask for it costs about as much as a short task. */
    private static final int CPU_SAMPLE_EVERY = 16;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final BatchRunner<T> runner;
    private final Ticker ticker;
    private final TimerWheel timers;
    private final DispatchMetrics metrics;
    private final WorkerQueues<K, T> queues;
    private final WorkerSelection selection;
    private final List<Worker> workers = new ArrayList<>();
    private final AtomicInteger idle = new AtomicInteger();
    private final AtomicBoolean waking = new AtomicBoolean(); // a worker was woken and has not polled yet
    private final ReentrantLock closing = new ReentrantLock();
    private final Condition quiet = closing.newCondition();
    private volatile boolean refusing;
    private volatile boolean stopping;

    /**
     * Starts the workers.
     *
     * @param name of the pool, part of its threads' names
     */
    public KeyAffinityExecutor(
            String name,
            SelectionPolicy policy,
            PoolConfig config,
            BatchRunner<T> runner,
            Ticker ticker,
            TimerWheel timers,
            DispatchMetrics metrics) {
        this.runner = runner;
        this.ticker = ticker;
        this.timers = timers;
        this.metrics = metrics;
        selection = WorkerSelection.of(policy);
        queues = new WorkerQueues<>(selection, config);
        metrics.watch(queues::waiting, queues::running);
        NamedThreads threads = new NamedThreads(name);
        for (int number = 0; number < config.workers(); number++) {
            workers.add(new Worker(number));
        }
        workers.forEach(worker -> worker.start(threads));
    }

    /** Queues a task, or refuses it at once. Never blocks for longer than it takes to queue. */
    public Submission submit(T task) {
        Submission submission = refusing ? Submission.REFUSED_STOPPED : queues.admit(task.key());
        if (submission == Submission.ACCEPTED) {
            Entry<K, T> entry = queues.add(task, ticker.nanos());
            if (stopping && queues.remove(entry)) {
                submission = Submission.REFUSED_STOPPED; // no worker would poll for it any more
            } else {
                wake(entry.worker());
                TimerWheel.Timeout timeout = timers.schedule(task.deadlineNanos(), () -> expire(entry));
                entry.ticket(timeout::cancel);
            }
        }
        if (submission != Submission.ACCEPTED) {
            metrics.refused();
        }
        return submission;
    }

    /**
     * Runs a task at once on the caller's thread, if nothing at all waits and nothing runs under its key; tasks of the
     * key that come meanwhile wait for its end.
     *
     * @return whether it was run; if not, nothing has happened
     */
    public boolean tryRun(T task) {
        long start = ticker.nanos();
        if (refusing || task.deadlineNanos() - start < 0) {
            return false;
        }
        List<Entry<K, T>> batch = queues.begin(task, start);
        if (batch.isEmpty()) {
            return false;
        }
        try {
            metrics.started(0);
            runner.run(List.of(task));
            metrics.ran(batch.get(0).worker(), 1, ticker.nanos() - start);
        } catch (RuntimeException | Error e) {
            metrics.failed();
            LOG.error("task failed", e);
        } finally {
            int worker = batch.get(0).worker();
            queues.done(batch);
            if (queues.hasReady(worker)) {
                wake(worker);
            }
            signalIfQuiet();
        }
        return true;
    }

    /**
     * Wakes an idle worker: the one that the task is queued for, or another one that may run it. Only one worker is
     * being woken at a time; if it finds more tasks than it takes, it wakes the next. Waking is expensive, and of the
     * many workers that a burst would wake most would come too late.
     */
    private void wake(int number) {
        if (idle.get() == 0) {
            return;
        }
        if (!selection.mayRunElsewhere()) {
            var unused = workers.get(number).wake();
        } else if (waking.compareAndSet(false, true) && !workers.get(number).wake() && !wakeAny()) {
            waking.set(false); // a worker that becomes idle from now on polls once more before it sleeps
        }
    }

    private boolean wakeAny() {
        for (Worker worker : workers) {
            if (worker.wake()) {
                return true;
            }
        }
        return false;
    }

    private void expire(Entry<K, T> entry) {
        if (queues.remove(entry)) {
            metrics.expired();
            entry.task().expired();
            signalIfQuiet();
        }
    }

    /** Number of waiting tasks. */
    public long waiting() {
        return queues.waiting();
    }

    /**
     * Refuses new tasks, runs or expires the waiting ones until the grace ends, stops the rest, and waits for the
     * running ones. May be called again.
     */
    public void close(Duration grace) {
        refusing = true;
        awaitQuiet(grace);
        stopping = true; // from here on its submitter removes a task that comes late
        for (Entry<K, T> entry : queues.drain()) {
            entry.ticket().cancel();
            entry.task().stopped();
        }
        workers.forEach(Worker::wake);
        workers.forEach(Worker::join);
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

    private void signalIfQuiet() {
        if (refusing && queues.isQuiet()) {
            closing.lock();
            try {
                quiet.signalAll();
            } finally {
                closing.unlock();
            }
        }
    }

    /** Like {@link #close(Duration)}, without grace. */
    @Override
    public void close() {
        close(Duration.ZERO);
    }

    /** One worker: a thread that takes batches from its queue. Thread-safe. */
    private final class Worker implements Runnable {
        private final int number;
        private final AtomicBoolean isIdle = new AtomicBoolean();
        private Thread thread = Thread.currentThread(); // replaced before it runs
        private int batches; // the thread's own

        Worker(int number) {
            this.number = number;
        }

        void start(NamedThreads threads) {
            thread = threads.newThread(this);
            thread.start();
        }

        /** Wakes it; false if it is awake, and polls by itself. */
        boolean wake() {
            if (isIdle.get() && isIdle.compareAndSet(true, false)) {
                idle.decrementAndGet();
                LockSupport.unpark(thread);
                return true;
            }
            return false;
        }

        void join() {
            if (thread == Thread.currentThread()) {
                return;
            }
            boolean interrupted = false;
            while (true) {
                try {
                    thread.join();
                    break;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void run() {
            long now = ticker.nanos();
            for (List<Entry<K, T>> batch = next(now); !batch.isEmpty(); batch = next(now)) {
                if (idle.get() > 0 && queues.hasReady(number)) {
                    KeyAffinityExecutor.this.wake(number);
                }
                now = runBatch(batch);
                queues.done(batch);
                signalIfQuiet();
            }
        }

        /** Waits for a batch; empty when the executor stops. */
        private List<Entry<K, T>> next(long nowNanos) {
            List<Entry<K, T>> batch = queues.poll(number, nowNanos);
            while (batch.isEmpty() && !stopping) {
                isIdle.set(true);
                idle.incrementAndGet();
                // Polls once more: a task submitted just before has not seen this worker idle.
                batch = queues.poll(number, ticker.nanos());
                if (batch.isEmpty() && !stopping) {
                    while (isIdle.get()) {
                        LockSupport.park(this);
                        var unused = Thread.interrupted(); // left behind by a task; park would return at once
                    }
                    waking.set(false);
                    batch = queues.poll(number, ticker.nanos());
                } else if (!wake()) {
                    waking.set(false); // a submitter has woken it meanwhile
                }
            }
            return batch;
        }

        /** Runs a batch; returns when it ended, in nanoseconds of the ticker. */
        private long runBatch(List<Entry<K, T>> batch) {
            long start = ticker.nanos();
            List<T> tasks = new ArrayList<>(batch.size());
            for (Entry<K, T> entry : batch) {
                entry.ticket().cancel();
                if (entry.task().deadlineNanos() - start < 0) {
                    metrics.expired();
                    entry.task().expired(); // its timer has not fired yet
                } else {
                    metrics.started(start - entry.submittedNanos());
                    tasks.add(entry.task());
                }
            }
            if (tasks.isEmpty()) {
                return start;
            }
            boolean sample = batches++ % CPU_SAMPLE_EVERY == 0;
            long cpu = sample ? THREADS.getCurrentThreadCpuTime() : 0;
            try {
                runner.run(tasks);
            } catch (RuntimeException | Error e) {
                metrics.failed();
                LOG.error("batch failed worker={} tasks={}", number, tasks.size(), e);
            }
            long end = ticker.nanos();
            metrics.ran(number, tasks.size(), end - start);
            if (sample) {
                metrics.usedCpu(THREADS.getCurrentThreadCpuTime() - cpu);
            }
            return end;
        }
    }
}
