// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.micro;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.talos.bench.variant.SelectionPolicy;
import org.talos.server.config.PoolConfig;
import org.talos.server.config.load.ConfigException;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.dispatch.KeyAffinityExecutor;
import org.talos.server.dispatch.Priority;
import org.talos.server.dispatch.Submission;
import org.talos.server.dispatch.Task;
import org.talos.server.dispatch.ThreadKind;
import org.talos.server.metrics.DispatchMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogId;

/**
 * Benchmarks the time from a task's submission to its run, with deadlines and metrics as in the server; the tasks
 * themselves do nothing. 4 workers are the server's default, 64 as many as a store wants whose appends block.
 *
 * <p>Confined: JMH.
 */
@State(Scope.Benchmark)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class SubmitToRun {
    private static final int TOGETHER = 1_200; // below the bound of a key
    private static final long DEADLINE_SECONDS = 30;
    private static final String TOPIC = "0123456789abcdef".repeat(2);

    @Param
    SelectionPolicy policy = SelectionPolicy.AFFINITY;

    @Param({"4", "64"})
    int workers;

    @Param({"1", "120"})
    int keys;

    private final Ticker ticker = SystemTime.ticker();
    private LogId[] logs;
    private TimerWheel timers;
    private KeyAffinityExecutor<LogId, Step> executor;
    private int next;

    /** A task. Immutable. */
    private record Step(LogId key, long deadlineNanos, CountDownLatch done) implements Task<LogId> {
        @Override
        public Priority priority() {
            return Priority.NORMAL;
        }

        /** Ignored: a caller that waits sees that the task never ran. */
        @Override
        public void expired() {}

        @Override
        public void stopped() {}

        @Override
        public void failed(Throwable cause) {}

        static void runAll(List<Step> batch) {
            batch.forEach(step -> step.done.countDown());
        }
    }

    /** An executor with nothing to do. */
    @Setup
    public void start() throws ConfigException {
        PoolConfig pool = ConfigLoader.load(Map.of("TALOS_DISPATCH_PUT_WORKERS", Integer.toString(workers)))
                .dispatch()
                .put();
        logs = new LogId[keys];
        for (int i = 0; i < keys; i++) {
            logs[i] = new LogId(TOPIC, i);
        }
        timers = TimerWheel.started(ticker);
        executor = new KeyAffinityExecutor<>(
                new ThreadKind.Kernel(new NamedThreads("micro")),
                policy.selection(),
                pool,
                Step::runAll,
                ticker,
                timers,
                new DispatchMetrics(new Metrics(ticker), "micro"));
    }

    /** Ends the threads. */
    @TearDown
    public void stop() {
        executor.close();
        timers.close();
    }

    /**
     * One task, and a thread that waits until it has run, as a blocking front end does it: the worker sleeps when the
     * task comes, and the thread sleeps when it is done.
     */
    @Benchmark
    @BenchmarkMode(Mode.SampleTime)
    public void waitedFor() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        submit(done);
        await(done);
    }

    /** Many tasks without a waiting thread, as from an asynchronous front end: the workers stay awake. */
    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    @OperationsPerInvocation(TOGETHER)
    public void notWaitedFor() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(TOGETHER);
        for (int i = 0; i < TOGETHER; i++) {
            submit(done);
        }
        await(done);
    }

    private void submit(CountDownLatch done) {
        next = next + 1 == keys ? 0 : next + 1;
        long deadline = ticker.nanos() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        Submission submission = executor.submit(new Step(logs[next], deadline, done));
        if (submission != Submission.ACCEPTED) {
            throw new IllegalStateException("a task was not taken: " + submission);
        }
    }

    private static void await(CountDownLatch done) throws InterruptedException {
        if (!done.await(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("a task did not run");
        }
    }
}
