// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.config.PoolConfig;
import org.talos.server.config.SelectionPolicy;
import org.talos.server.dispatch.WorkerQueues.Entry;
import org.talos.server.metrics.DispatchMetrics;
import org.talos.server.runtime.NamedThreads;
import org.talos.server.runtime.Ticker;
import org.talos.server.runtime.TimerWheel;

/**
 * A pool of workers that runs the tasks of a key one after another, and different keys at once.
 *
 * <ul>
 *   <li>Tasks of one key and priority run in the order of their submission; a batch is what has gathered of them.
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
    /** Asking for a thread's CPU time costs about as much as a short task: every so many batches. */
    private static final int CPU_SAMPLE_EVERY = 16;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final BatchRunner<T> runner;
    private final Ticker ticker;
    private final TimerWheel timers;
    private final DispatchMetrics metrics;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition quiet = lock.newCondition();
    private final List<Worker> workers = new ArrayList<>();

    @GuardedBy("lock")
    private final WorkerQueues<K, T> queues;

    @GuardedBy("lock")
    private int busy;

    @GuardedBy("lock")
    private boolean refusing;

    @GuardedBy("lock")
    private boolean stopping;

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
        queues = new WorkerQueues<>(policy, config);
        metrics.watch(this::waiting, this::busyWorkers);
        NamedThreads threads = new NamedThreads(name);
        for (int number = 0; number < config.workers(); number++) {
            workers.add(new Worker(number));
        }
        workers.forEach(worker -> worker.start(threads));
    }

    /** Queues a task, or refuses it at once. Never blocks for longer than it takes to queue. */
    public Submission submit(T task) {
        Submission submission;
        lock.lock();
        try {
            submission = refusing ? Submission.REFUSED_STOPPED : queues.admit(task.key());
            if (submission == Submission.ACCEPTED) {
                Entry<K, T> entry = queues.add(task, ticker.nanos());
                TimerWheel.Timeout timeout = timers.schedule(task.deadlineNanos(), () -> expire(entry));
                entry.ticket(timeout::cancel);
                workers.get(entry.worker()).wake();
            }
        } finally {
            lock.unlock();
        }
        if (submission != Submission.ACCEPTED) {
            metrics.refused();
        }
        return submission;
    }

    private void expire(Entry<K, T> entry) {
        boolean removed;
        lock.lock();
        try {
            removed = queues.remove(entry);
            signalIfQuiet();
        } finally {
            lock.unlock();
        }
        if (removed) {
            metrics.expired();
            entry.task().expired();
        }
    }

    /** Tasks that wait now. */
    public long waiting() {
        lock.lock();
        try {
            return queues.waiting();
        } finally {
            lock.unlock();
        }
    }

    private long busyWorkers() {
        lock.lock();
        try {
            return busy;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Refuses new tasks, runs or expires those that wait for as long as the grace lasts, stops the rest, and waits for
     * the ones that run. May be called again.
     */
    public void close(Duration grace) {
        List<Entry<K, T>> left;
        lock.lock();
        try {
            refusing = true;
            awaitQuiet(grace);
            left = queues.drain();
            stopping = true;
            workers.forEach(Worker::wake);
        } finally {
            lock.unlock();
        }
        for (Entry<K, T> entry : left) {
            entry.ticket().cancel();
            entry.task().stopped();
        }
        workers.forEach(Worker::join);
    }

    @GuardedBy("lock")
    private void awaitQuiet(Duration grace) {
        long left = grace.toNanos();
        try {
            while (left > 0 && (queues.waiting() > 0 || busy > 0)) {
                left = quiet.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // stop what waits now
        }
    }

    @GuardedBy("lock")
    private void signalIfQuiet() {
        if (refusing && queues.waiting() == 0 && busy == 0) {
            quiet.signalAll();
        }
    }

    /** As {@link #close(Duration)}, without grace. */
    @Override
    public void close() {
        close(Duration.ZERO);
    }

    /** One worker: a thread that takes batches from its queue. Thread-safe. */
    private final class Worker implements Runnable {
        private final int number;
        private final Condition work = lock.newCondition();
        private Thread thread = Thread.currentThread(); // replaced before it runs
        private boolean idle; // under the lock
        private int batches; // the thread's own

        Worker(int number) {
            this.number = number;
        }

        void start(NamedThreads threads) {
            thread = threads.newThread(this);
            thread.start();
        }

        /** Under the lock. A worker that is busy looks at its queue by itself. */
        void wake() {
            if (idle) {
                idle = false;
                work.signal();
            }
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
            List<Entry<K, T>> batch = next(List.of());
            while (!batch.isEmpty()) {
                runBatch(batch);
                batch = next(batch);
            }
        }

        /** Ends the batch before and takes the next; empty when the executor stops. */
        private List<Entry<K, T>> next(List<Entry<K, T>> before) {
            lock.lock();
            try {
                if (!before.isEmpty()) {
                    queues.done(before);
                    busy--;
                    signalIfQuiet();
                }
                List<Entry<K, T>> batch = queues.poll(number, ticker.nanos());
                while (batch.isEmpty() && !stopping) {
                    idle = true;
                    work.awaitUninterruptibly();
                    idle = false;
                    batch = queues.poll(number, ticker.nanos());
                }
                if (!batch.isEmpty()) {
                    busy++;
                }
                return batch;
            } finally {
                lock.unlock();
            }
        }

        private void runBatch(List<Entry<K, T>> batch) {
            long start = ticker.nanos();
            List<T> tasks = new ArrayList<>(batch.size());
            for (Entry<K, T> entry : batch) {
                entry.ticket().cancel();
                if (entry.task().deadlineNanos() - start < 0) {
                    metrics.expired();
                    entry.task().expired(); // the timer had not come round yet
                } else {
                    metrics.started(start - entry.submittedNanos());
                    tasks.add(entry.task());
                }
            }
            if (tasks.isEmpty()) {
                return;
            }
            boolean sample = batches++ % CPU_SAMPLE_EVERY == 0;
            long cpu = sample ? THREADS.getCurrentThreadCpuTime() : 0;
            try {
                runner.run(tasks);
            } catch (RuntimeException | Error e) {
                metrics.failed();
                LOG.error("batch failed worker={} tasks={}", number, tasks.size(), e);
            }
            metrics.ran(number, tasks.size(), ticker.nanos() - start);
            if (sample) {
                metrics.usedCpu(THREADS.getCurrentThreadCpuTime() - cpu);
            }
        }
    }
}
