// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.executor;

import static org.talos.bench.report.Text.format;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.HdrHistogram.Histogram;
import org.talos.bench.report.Measure;
import org.talos.bench.variant.SelectionPolicy;
import org.talos.server.config.PoolConfig;
import org.talos.server.dispatch.KeyAffinityExecutor;
import org.talos.server.dispatch.Priority;
import org.talos.server.dispatch.Submission;
import org.talos.server.dispatch.Task;
import org.talos.server.dispatch.ThreadKind;
import org.talos.server.metrics.DispatchMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.thread.VirtualThreads;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;

/**
 * A closed loop on an executor of its own: each key has one task in flight, which blocks for its delay. The next one is
 * submitted by the calling thread, as by a client that has got the answer.
 *
 * <p>Confined: the thread that calls {@link #run}.
 */
final class KeyLoad {
    private static final int DIGITS = 3;
    private static final int MANY = 1_000_000;
    private static final long DEADLINE_NANOS = Duration.ofMinutes(1).toNanos();
    private static final double NANOS_PER_MILLI = 1e6;

    private final BlockingQueue<KeyTask> ended = new LinkedBlockingQueue<>();
    private final Histogram latency = new Histogram(DIGITS);
    private final Histogram queueWait = new Histogram(DIGITS);
    private final Set<Thread> workers = new HashSet<>();
    private final List<String> keys;
    private final LognormalDelays delays;
    private long succeeded;

    KeyLoad(List<String> keys, LognormalDelays delays) {
        this.keys = keys;
        this.delays = delays;
    }

    /** A task of a key. Confined: the worker that runs it, then the load's thread. */
    private static final class KeyTask implements Task<String> {
        private final String key;
        private final long delayNanos;
        private final BlockingQueue<KeyTask> ended;
        private final long submittedNanos = System.nanoTime();
        private long startedNanos;
        private long endedNanos;
        private Thread worker = Thread.currentThread(); // replaced when it runs

        KeyTask(String key, long delayNanos, BlockingQueue<KeyTask> ended) {
            this.key = key;
            this.delayNanos = delayNanos;
            this.ended = ended;
        }

        void run() {
            worker = Thread.currentThread();
            startedNanos = System.nanoTime();
            Blocker.block(delayNanos);
            endedNanos = System.nanoTime();
            ended.add(this);
        }

        @Override
        public String key() {
            return key;
        }

        @Override
        public Priority priority() {
            return Priority.NORMAL;
        }

        @Override
        public long deadlineNanos() {
            return submittedNanos + DEADLINE_NANOS;
        }

        @Override
        public void expired() {
            throw new IllegalStateException("a task has waited for its whole minute");
        }

        /** Ignored: the load is over. */
        @Override
        public void stopped() {}

        /** Ignored: its load ends without it. */
        @Override
        public void failed(Throwable cause) {}
    }

    /** Runs for the given time, then closes the executor. */
    Measure run(ThreadsCase what, int round, Duration warmUp, Duration measured) throws InterruptedException {
        Ticker ticker = SystemTime.ticker();
        try (TimerWheel timers = TimerWheel.started(ticker);
                KeyAffinityExecutor<String, KeyTask> executor = executor(what, ticker, timers)) {
            for (String key : keys) {
                submit(executor, key);
            }
            turnFor(executor, warmUp);
            latency.reset();
            queueWait.reset();
            workers.clear();
            double seconds = turnFor(executor, measured);
            return new Measure(what.name(), round, "task", latency, seconds, succeeded, 0, figures());
        }
    }

    private static KeyAffinityExecutor<String, KeyTask> executor(ThreadsCase what, Ticker ticker, TimerWheel timers) {
        return new KeyAffinityExecutor<>(
                what.virtual()
                        ? new ThreadKind.Virtual(new VirtualThreads("threads"))
                        : new ThreadKind.Kernel(new NamedThreads("threads")),
                what.policy().selection(),
                new PoolConfig(what.workers(), MANY, MANY, 1, Duration.ofSeconds(1)),
                batch -> batch.forEach(KeyTask::run),
                ticker,
                timers,
                new DispatchMetrics(new Metrics(ticker), "threads"));
    }

    private void submit(KeyAffinityExecutor<String, KeyTask> executor, String key) {
        Submission submission = executor.submit(new KeyTask(key, delays.nextNanos(), ended));
        if (submission != Submission.ACCEPTED) {
            throw new IllegalStateException("the executor answered " + submission);
        }
    }

    private double turnFor(KeyAffinityExecutor<String, KeyTask> executor, Duration duration)
            throws InterruptedException {
        long start = System.nanoTime();
        long nanos = 0;
        while (nanos < duration.toNanos()) {
            KeyTask task = ended.take();
            latency.recordValue(task.endedNanos - task.submittedNanos);
            queueWait.recordValue(task.startedNanos - task.submittedNanos);
            workers.add(task.worker);
            succeeded++;
            submit(executor, task.key);
            nanos = System.nanoTime() - start;
        }
        return nanos / 1e9;
    }

    private SortedMap<String, Double> figures() {
        SortedMap<String, Double> figures = new TreeMap<>();
        figures.put("distinct workers", (double) workers.size());
        figures.put("queue wait ms mean", queueWait.getMean() / NANOS_PER_MILLI);
        figures.put("queue wait ms P75", queueWait.getValueAtPercentile(75) / NANOS_PER_MILLI);
        figures.put(ThreadsCase.WAIT_P999, queueWait.getValueAtPercentile(99.9) / NANOS_PER_MILLI);
        return figures;
    }

    /**
     * A number of workers and how one is chosen. Immutable.
     *
     * @param virtual whether they are without threads of the kernel
     */
    record ThreadsCase(int workers, SelectionPolicy policy, boolean virtual) {
        static final String WAIT_P999 = "queue wait ms P999";

        String name() {
            return format("%d workers, %s", workers, policy == SelectionPolicy.HASH ? "hash" : "affinity");
        }
    }
}
