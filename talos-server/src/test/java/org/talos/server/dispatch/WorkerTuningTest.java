// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.server.config.PoolConfig;
import org.talos.server.config.WorkerCount;
import org.talos.server.config.load.TestConfig;
import org.talos.server.dispatch.PoolTuning.PoolWorkers;
import org.talos.server.metrics.DispatchMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;

/** A pool that is measured while its workers are held up, period by period. */
@Timeout(60)
class WorkerTuningTest {
    private final Ticker ticker = SystemTime.ticker();
    private final TimerWheel timers = TimerWheel.started(ticker);
    private final AtomicLong time = new AtomicLong(1);
    private final AtomicInteger held = new AtomicInteger();
    private final CountDownLatch gate = new CountDownLatch(1);
    private final KeyAffinityExecutor<String, TestTask> executor =
            executor(TestSelection.LEAST_LOADED, WorkerCount.AUTO);
    private final WorkerTuning tuning = new WorkerTuning("tuned", executor, time::get);

    private KeyAffinityExecutor<String, TestTask> executor(TestSelection selection, WorkerCount workers) {
        return executor(new NamedThreads("tuned"), selection, workers);
    }

    private KeyAffinityExecutor<String, TestTask> executor(
            ThreadFactory threads, TestSelection selection, WorkerCount workers) {
        return new KeyAffinityExecutor<>(
                new ThreadKind.Kernel(threads),
                selection.selection(),
                TestConfig.of(PoolConfig.class)
                        .with("workers", workers)
                        .with("maxWaitingPerKey", 10_000)
                        .with("maxWaiting", 100_000)
                        .with("maxBatch", 16)
                        .with("starvationBound", Duration.ofMillis(100))
                        .create(),
                this::hold,
                ticker,
                timers,
                new DispatchMetrics(new Metrics(ticker), "tuned"));
    }

    private void hold(List<TestTask> batch) {
        held.incrementAndGet();
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        batch.forEach(task -> task.ran.incrementAndGet());
    }

    @AfterEach
    void close() {
        gate.countDown();
        executor.close(Duration.ofSeconds(10));
        timers.close();
    }

    private void period() {
        period(tuning);
    }

    private void period(WorkerTuning of) {
        time.addAndGet(Duration.ofMinutes(1).toNanos()); // so long that what this test runs itself is nothing
        for (int i = 0; i < WorkerTuning.SAMPLES; i++) {
            of.sample();
        }
    }

    /** While all processors are in use, by whomever. */
    private void busyPeriod(WorkerTuning of) {
        Duration before = used();
        while (used().equals(before)) {
            Thread.onSpinWait();
        }
        time.addAndGet(Duration.ofMillis(1).toNanos());
        for (int i = 0; i < WorkerTuning.SAMPLES; i++) {
            of.sample();
        }
    }

    private static Duration used() {
        return ProcessHandle.current().info().totalCpuDuration().orElseThrow();
    }

    private List<TestTask> submit(int keys) {
        List<TestTask> tasks = new ArrayList<>();
        for (int key = 0; key < keys; key++) {
            tasks.add(TestTask.of("key-" + key, 0));
        }
        tasks.forEach(executor::submit);
        return tasks;
    }

    @Test
    void tasksThatAreHeldUpAndHaveNotEndedBringMoreWorkers() {
        int least = executor.workers();
        List<TestTask> tasks = submit(5 * least);
        await().until(() -> held.get() == least);
        period(); // the beginning of what is measured

        period();

        assertThat(executor.workers()).isEqualTo(2 * least);
        await().until(() -> held.get() == 2 * least);
        for (int i = 0; i < 3; i++) {
            period();
        }
        await().until(() -> held.get() == tasks.size()); // each key has one
        assertThat(executor.workers()).isEqualTo(tasks.size());
        gate.countDown();
        await().until(() -> tasks.stream().allMatch(task -> task.ran.get() == 1));
    }

    @Test
    void threadsOfWhichTheSystemKnowsNothingUseWhatTheProcessUsesAtMost() {
        int least = executor.workers();
        var unused = submit(5 * least);
        await().until(() -> held.get() == least);
        WorkerTuning blind = new WorkerTuning("blind", executor, new KernelThreadUse(List::of), time::get);
        period(blind);

        period(blind);

        assertThat(executor.workers()).isEqualTo(2 * least);
    }

    /** All else in the process needs threads too. */
    @Test
    void someThreadsAreLeftToOthersWhenTheSystemHasNoMore() {
        int least = WorkerCount.AUTO.least();
        int there = 5 * least;
        AtomicInteger left = new AtomicInteger(there);
        AtomicInteger tries = new AtomicInteger();
        NamedThreads named = new NamedThreads("scarce");
        KeyAffinityExecutor<String, TestTask> scarce = executor(
                work -> {
                    if (left.getAndDecrement() <= 0) {
                        tries.incrementAndGet();
                        throw new OutOfMemoryError("unable to create native thread, on purpose");
                    }
                    return named.newThread(work);
                },
                TestSelection.LEAST_LOADED,
                WorkerCount.AUTO);
        try {
            for (int key = 0; key < 10 * least; key++) {
                scarce.submit(TestTask.of("key-" + key, 0));
            }
            WorkerTuning tuned = new WorkerTuning("scarce", scarce, new KernelThreadUse(List::of), time::get);
            List<Integer> numbers = new ArrayList<>();
            for (int i = 0; i < 120; i++) {
                period(tuned);
                numbers.add(scarce.workers());
            }
            int given = there - there / 10;
            assertThat(numbers).first().isEqualTo(least);
            assertThat(scarce.workers()).as("some are left").isBetween(4 * least, given);
            assertThat(tries.get()).as("seldom").isBetween(3, 8);
            left.set(10 * least);

            for (int i = 0; i < 200; i++) {
                period(tuned);
            }
            assertThat(scarce.workers()).as("once there are threads").isEqualTo(10 * least);
        } finally {
            gate.countDown();
            scarce.close(Duration.ofSeconds(10));
        }
    }

    /** Those of which nothing is known are as the others. */
    @Test
    void aWorkerThatWasStartedWithoutAFileHandleBlindsNobody() throws InterruptedException {
        Thread atRest = new NamedThreads("at-rest").newThread(() -> hold(List.of()));
        atRest.start();
        int least = executor.workers();
        var unused = submit(5 * least);
        await().until(() -> held.get() == least + 1);
        WorkerTuning tuned = new WorkerTuning(
                "one unknown",
                executor,
                new KernelThreadUse(() -> {
                    List<ThreadTimes> times = new ArrayList<>(executor.threadTimes());
                    times.set(0, ThreadTimes.ofUnknownWait(atRest.getId()));
                    return times;
                }),
                time::get);
        busyPeriod(tuned);

        busyPeriod(tuned);

        assertThat(executor.workers()).isEqualTo(2 * least);
        gate.countDown();
        atRest.join();
    }

    @ParameterizedTest
    @CsvSource({"12 34 5, true", "0 0 1, true", "0 0 0, false", "12 34, false", "a b c, false", "'', false"})
    void aKernelThatDoesNotCountIsNotBelieved(String schedstat, boolean counted) {
        assertThat(ThreadTimes.isCounted(schedstat + "\n")).isEqualTo(counted);
    }

    @Test
    void workersThatNobodyNeedsGoOneAfterAnother() {
        int least = executor.workers();
        List<TestTask> tasks = submit(3 * least);
        for (int i = 0; i < 4; i++) {
            period();
        }
        assertThat(executor.workers()).isEqualTo(tasks.size());
        gate.countDown();
        await().until(() -> executor.keys() == 0);

        for (int i = 0; i < 120; i++) {
            int before = executor.workers();
            period();
            assertThat(executor.workers()).isBetween(before * 3 / 4, before);
        }
        assertThat(executor.workers()).isEqualTo(least);
    }

    /** Or means of the two would be of different parts of a period. */
    @Test
    void processorsAreSampledAsOftenAsTasksAlsoWhileThereAreNone() {
        AtomicInteger sampled = new AtomicInteger();
        VirtualThreadUse use = new VirtualThreadUse(sampled::incrementAndGet, () -> 2);
        WorkerTuning tuned = new WorkerTuning("sampled", executor, use, time::get);

        period(tuned);

        assertThat(sampled.get()).isEqualTo(WorkerTuning.SAMPLES);
    }

    @Test
    void aPoolAtRestStaysAsItIs() {
        int least = executor.workers();
        for (int i = 0; i < 10; i++) {
            period();
        }

        assertThat(executor.workers()).isEqualTo(least);
    }

    @Test
    void onlyPoolsWhoseNumberMayChangeAreTuned() {
        KeyAffinityExecutor<String, TestTask> fixed = executor(TestSelection.LEAST_LOADED, WorkerCount.of(3));
        KeyAffinityExecutor<String, TestTask> ownQueues = executor(TestSelection.OWN_QUEUES, WorkerCount.AUTO);
        try (PoolTuning pools = new PoolTuning(ticker)) {
            pools.add("fixed", fixed);
            pools.add("ownQueues", ownQueues);
            pools.add("tuned", executor);
            pools.start();

            assertThat(pools.workers())
                    .containsExactly(
                            new PoolWorkers("fixed", 3, false),
                            new PoolWorkers("ownQueues", WorkerCount.AUTO.least(), false),
                            new PoolWorkers("tuned", executor.workers(), true));
        }
        fixed.close();
        ownQueues.close();
    }

    @Test
    void aThreadsTimesAreItsOwn() {
        ThreadTimes own = ThreadTimes.ofCurrentThread();

        assertThat(own.read()).hasValueSatisfying(first -> {
            assertThat(first.onProcessorNanos()).isNotNegative();
            assertThat(own.read())
                    .hasValueSatisfying(second ->
                            assertThat(second.onProcessorNanos()).isGreaterThanOrEqualTo(first.onProcessorNanos()));
        });
    }
}
