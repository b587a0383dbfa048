// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.talos.server.config.PoolConfig;
import org.talos.server.config.WorkerCount;
import org.talos.server.config.load.TestConfig;
import org.talos.server.dispatch.PoolTuning.PoolWorkers;
import org.talos.server.metrics.DispatchMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.metrics.PrometheusText;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.thread.VirtualThreads;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;

/** The executor on virtual threads, where the JDK has them. */
@EnabledIf("areThere")
class VirtualWorkersTest {
    private final Ticker ticker = SystemTime.ticker();
    private final TimerWheel timers = TimerWheel.started(ticker);
    private final Metrics metrics = new Metrics(ticker);
    private final AtomicLong time = new AtomicLong(1);

    static boolean areThere() {
        return VirtualThreads.areThere();
    }

    @AfterEach
    void stopTimers() {
        timers.close();
    }

    private KeyAffinityExecutor<String, TestTask> executor(int workers, BatchRunner<TestTask> runner) {
        return executor(WorkerCount.of(workers), runner);
    }

    private KeyAffinityExecutor<String, TestTask> executor(WorkerCount workers, BatchRunner<TestTask> runner) {
        return new KeyAffinityExecutor<>(
                new ThreadKind.Virtual(new VirtualThreads("test")),
                WorkerSelection.leastLoaded(),
                TestConfig.of(PoolConfig.class)
                        .with("workers", workers)
                        .with("maxWaitingPerKey", 100_000)
                        .with("maxWaiting", 100_000)
                        .with("maxBatch", 16)
                        .with("starvationBound", Duration.ofMillis(100))
                        .create(),
                runner,
                ticker,
                timers,
                new DispatchMetrics(metrics, "test"));
    }

    private static List<TestTask> tasks(int count, int keys) {
        List<TestTask> tasks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            tasks.add(TestTask.of("key-" + i % keys, i));
        }
        return tasks;
    }

    @Test
    void tenThousandHandlersWaitAtOnce() throws Exception {
        CountDownLatch all = new CountDownLatch(10_000);
        CountDownLatch gate = new CountDownLatch(1);
        KeyAffinityExecutor<String, TestTask> executor = executor(10_000, batch -> {
            all.countDown();
            awaitGate(gate);
            batch.forEach(task -> task.ran.incrementAndGet());
        });
        List<TestTask> tasks = tasks(10_000, 10_000);
        tasks.forEach(task -> assertThat(executor.submit(task)).isEqualTo(Submission.ACCEPTED));

        all.await();
        gate.countDown();
        executor.close(Duration.ofSeconds(30));
        assertThat(tasks).allMatch(task -> task.ran.get() == 1 && task.endings() == 1);
    }

    private void period(WorkerTuning tuning) {
        time.addAndGet(Duration.ofMinutes(1).toNanos()); // so long that what this test runs itself is nothing
        for (int i = 0; i < WorkerTuning.SAMPLES; i++) {
            tuning.sample();
        }
    }

    @Test
    void workersThatWaitBringMoreAndNobodyMeasuresTheTimesOfTheirCarriers() {
        int least = WorkerCount.AUTO.leastVirtual();
        int keys = least + least / 2;
        CountDownLatch gate = new CountDownLatch(1);
        AtomicInteger held = new AtomicInteger();
        KeyAffinityExecutor<String, TestTask> executor = executor(WorkerCount.AUTO, batch -> {
            held.incrementAndGet();
            awaitGate(gate);
        });
        tasks(keys, keys).forEach(executor::submit);
        assertThat(executor.workers()).isEqualTo(least);
        await().until(() -> held.get() == least && executor.runnable() == 0);
        WorkerTuning tuning = new WorkerTuning("test", executor, time::get);
        period(tuning); // the beginning of what is measured
        period(tuning);

        assertThat(executor.workers()).isEqualTo(keys);
        await().until(() -> held.get() == keys);
        assertThat(executor.threadTimes()).isEmpty();
        assertThat(executor.processorUse()).isInstanceOf(VirtualThreadUse.class);
        try (PoolTuning pools = new PoolTuning(ticker)) {
            pools.add("test", executor);
            assertThat(pools.workers()).containsExactly(new PoolWorkers("test", keys, true));
        }
        assertThat(new PrometheusText(metrics).write()).contains("talos_dispatch_workers{pool=\"test\"} " + keys);
        gate.countDown();
        executor.close(Duration.ofSeconds(10));
    }

    @Test
    void aWorkerThatRunsIsToldFromThoseThatWait() {
        AtomicBoolean ended = new AtomicBoolean();
        CountDownLatch gate = new CountDownLatch(1);
        KeyAffinityExecutor<String, TestTask> executor = executor(4, batch -> {
            if (batch.get(0).number > 0) {
                awaitGate(gate);
            }
            while (!ended.get()) { // keeps its carrier
                Thread.onSpinWait();
            }
        });
        try {
            List<TestTask> tasks = tasks(3, 3);
            tasks.subList(1, 3).forEach(executor::submit);
            await().until(() -> executor.awake() == 2 && executor.runnable() == 0);

            executor.submit(tasks.get(0));
            await().until(() -> executor.awake() == 3 && executor.runnable() == 1);
        } finally {
            ended.set(true);
            gate.countDown();
            executor.close(Duration.ofSeconds(10));
        }
    }

    @Test
    void tasksOfAKeyRunInOrderAndEndOnce() throws Exception {
        ConcurrentLinkedQueue<TestTask> order = new ConcurrentLinkedQueue<>();
        KeyAffinityExecutor<String, TestTask> executor = executor(
                8,
                batch -> batch.forEach(task -> {
                    order.add(task);
                    task.ran.incrementAndGet();
                    LockSupport.parkNanos(1);
                }));
        List<TestTask> tasks = tasks(5_000, 7);
        tasks.forEach(executor::submit);
        executor.close(Duration.ofSeconds(30));

        assertThat(tasks).allMatch(task -> task.endings() == 1 && task.ran.get() == 1);
        for (int key = 0; key < 7; key++) {
            String name = "key-" + key;
            assertThat(order.stream().filter(task -> task.key.equals(name)).map(task -> task.number))
                    .isSorted();
        }
    }

    @Test
    void workersAreNamedAnInterruptEndsWithItsTaskAndNobodyMeasuresTheirProcessorTime() throws Exception {
        Thread[] worker = {Thread.currentThread()}; // replaced before its task has run
        AtomicBoolean met = new AtomicBoolean();
        KeyAffinityExecutor<String, TestTask> executor = executor(1, batch -> {
            met.compareAndSet(false, Thread.currentThread().isInterrupted());
            worker[0] = Thread.currentThread();
            batch.forEach(task -> task.ran.incrementAndGet());
            Thread.currentThread().interrupt();
        });
        List<TestTask> tasks = tasks(200, 200);
        tasks.forEach(executor::submit);
        await().until(() -> tasks.stream().allMatch(task -> task.ran.get() == 1));
        await().until(() -> worker[0].getState() == Thread.State.WAITING);
        executor.close(Duration.ofSeconds(10));

        assertThat(met.get()).isFalse();
        assertThat(worker[0].getName()).isEqualTo("talos-test-0");
        assertThat(worker[0].isAlive()).as("closing has waited for it").isFalse();
        assertThat(new PrometheusText(metrics).write())
                .contains("talos_dispatch_cpu_seconds_count{pool=\"test\"} 0")
                .contains("talos_dispatch_queue_wait_seconds_count{pool=\"test\"} 200");
    }

    @Test
    void aWaitingTaskExpiresWhileAllWorkersWait() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        KeyAffinityExecutor<String, TestTask> executor = executor(1, batch -> {
            batch.forEach(task -> task.ran.incrementAndGet());
            started.countDown();
            awaitGate(gate);
        });
        executor.submit(TestTask.of("a", 0));
        started.await();
        TestTask late = new TestTask("b", 1, Priority.NORMAL, ticker.nanos() + 30_000_000);
        executor.submit(late);

        await().until(() -> late.expired.get() == 1);
        gate.countDown();
        executor.close(Duration.ofSeconds(10));
        assertThat(late.endings()).isOne();
    }

    private static void awaitGate(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
