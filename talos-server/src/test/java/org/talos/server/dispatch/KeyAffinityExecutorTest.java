// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.talos.server.config.PoolConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.metrics.DispatchMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;

/** The executor with its threads; races are held still by gates. */
class KeyAffinityExecutorTest {
    private final Ticker ticker = SystemTime.ticker();
    private final TimerWheel timers = TimerWheel.started(ticker);

    @AfterEach
    void stopTimers() {
        timers.close();
    }

    private KeyAffinityExecutor<String, TestTask> executor(int workers, BatchRunner<TestTask> runner) {
        return executor(workers, timers, runner);
    }

    private KeyAffinityExecutor<String, TestTask> executor(
            int workers, TimerWheel timers, BatchRunner<TestTask> runner) {
        return new KeyAffinityExecutor<>(
                new ThreadKind.Kernel(new NamedThreads("test")),
                WorkerSelection.leastLoaded(),
                TestConfig.of(PoolConfig.class)
                        .with("workers", workers)
                        .with("maxWaitingPerKey", 10_000)
                        .with("maxWaiting", 100_000)
                        .with("maxBatch", 16)
                        .with("starvationBound", Duration.ofMillis(100))
                        .create(),
                runner,
                ticker,
                timers,
                new DispatchMetrics(new Metrics(ticker), "test"));
    }

    @Test
    void everyTaskEndsOnceInOrderAndAloneAmongItsKey() throws Exception {
        Map<String, AtomicInteger> inside = new ConcurrentHashMap<>();
        Map<String, List<Integer>> order = new ConcurrentHashMap<>();
        AtomicInteger together = new AtomicInteger();
        KeyAffinityExecutor<String, TestTask> executor = executor(4, batch -> {
            AtomicInteger mine = inside.computeIfAbsent(batch.get(0).key, key -> new AtomicInteger());
            together.addAndGet(mine.incrementAndGet() > 1 ? 1 : 0);
            for (TestTask task : batch) {
                order.computeIfAbsent(task.key, key -> new ArrayList<>()).add(task.number);
                task.ran.incrementAndGet();
            }
            mine.decrementAndGet();
        });
        List<TestTask> all = submitFromFourThreads(executor);
        executor.close(Duration.ofSeconds(30));

        assertThat(together.get()).isZero();
        assertThat(all).allMatch(task -> task.ran.get() == 1 && task.endings() == 1);
        order.values().forEach(numbers -> assertThat(numbers).isSorted().hasSize(2_000));
    }

    private static List<TestTask> submitFromFourThreads(KeyAffinityExecutor<String, TestTask> executor)
            throws InterruptedException {
        List<TestTask> all = new ArrayList<>();
        List<Thread> producers = new ArrayList<>();
        CyclicBarrier together4 = new CyclicBarrier(4);
        for (int producer = 0; producer < 4; producer++) {
            String key = "key-" + producer;
            List<TestTask> mine = new ArrayList<>();
            for (int i = 0; i < 2_000; i++) {
                mine.add(TestTask.of(key, i));
            }
            all.addAll(mine);
            producers.add(new Thread(() -> {
                try {
                    together4.await();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
                mine.forEach(task -> assertThat(executor.submit(task)).isEqualTo(Submission.ACCEPTED));
            }));
        }
        producers.forEach(Thread::start);
        for (Thread producer : producers) {
            producer.join();
        }
        return all;
    }

    @Test
    void anExpiredTaskLeavesItsQueueWithoutRunningAlthoughItsWorkerIsBusy() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        KeyAffinityExecutor<String, TestTask> executor = executor(1, batch -> {
            batch.forEach(task -> task.ran.incrementAndGet());
            started.countDown();
            awaitGate(gate);
        });
        executor.submit(TestTask.of("a", 0));
        started.await();
        TestTask late = new TestTask(
                "a", 1, Priority.NORMAL, ticker.nanos() + Duration.ofMillis(30).toNanos());
        executor.submit(late);

        await().until(() -> late.expired.get() == 1);
        assertThat(executor.waiting()).isZero();
        gate.countDown();
        executor.close(Duration.ofSeconds(10));
        assertThat(late.ran.get()).isZero();
        assertThat(late.endings()).isEqualTo(1);
    }

    @Test
    void aKeyDoesNotWaitBehindALongTaskOfAnotherWhileAWorkerIsFree() throws Exception {
        CountDownLatch started = new CountDownLatch(2);
        CountDownLatch longGate = new CountDownLatch(1);
        CountDownLatch shortGate = new CountDownLatch(1);
        KeyAffinityExecutor<String, TestTask> executor = executor(2, batch -> {
            started.countDown();
            switch (batch.get(0).key) {
                case "long" -> awaitGate(longGate);
                case "short" -> awaitGate(shortGate);
                default -> batch.forEach(task -> task.ran.incrementAndGet());
            }
        });
        executor.submit(TestTask.of("long", 0));
        executor.submit(TestTask.of("short", 0));
        started.await();
        List<TestTask> others = List.of(TestTask.of("a", 0), TestTask.of("b", 0), TestTask.of("c", 0));
        others.forEach(executor::submit);
        shortGate.countDown();

        await().until(() -> others.stream().allMatch(task -> task.ran.get() == 1));
        longGate.countDown();
        executor.close(Duration.ofSeconds(10));
    }

    @Test
    void aBurstWakesAsManyWorkersAsItHasKeys() throws Exception {
        CyclicBarrier together = new CyclicBarrier(4);
        KeyAffinityExecutor<String, TestTask> executor = executor(4, batch -> {
            awaitAll(together); // nobody comes through unless all four run at once
            batch.forEach(task -> task.ran.incrementAndGet());
        });
        for (int round = 0; round < 200; round++) {
            List<TestTask> burst = new ArrayList<>();
            for (int key = 0; key < 4; key++) {
                burst.add(TestTask.of("key-" + key, round));
            }
            burst.forEach(executor::submit);
            await().pollInterval(Duration.ofMillis(1))
                    .pollDelay(Duration.ZERO)
                    .until(() -> burst.stream().allMatch(task -> task.ran.get() == 1));
        }
        executor.close(Duration.ofSeconds(10));
    }

    private static void awaitAll(CyclicBarrier barrier) {
        try {
            barrier.await(20, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aTaskThatLeavesItsThreadInterruptedDoesNotKeepItsWorkerAwake() throws Exception {
        AtomicReference<Thread> worker = new AtomicReference<>();
        KeyAffinityExecutor<String, TestTask> executor = executor(1, batch -> {
            batch.forEach(task -> task.ran.incrementAndGet());
            worker.set(Thread.currentThread());
            Thread.currentThread().interrupt();
        });
        executor.submit(TestTask.of("a", 0));

        await().until(() -> worker.get() != null && worker.get().getState() == Thread.State.WAITING);
        TestTask next = TestTask.of("b", 0);
        executor.submit(next);
        await().until(() -> next.ran.get() == 1);
        executor.close(Duration.ofSeconds(10));
    }

    @Test
    void whatWaitsAtTheEndOfTheGraceIsStoppedAndNewTasksAreRefused() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        KeyAffinityExecutor<String, TestTask> executor = executor(1, batch -> {
            batch.forEach(task -> task.ran.incrementAndGet());
            started.countDown();
            awaitGate(gate);
        });
        TestTask running = TestTask.of("a", 0);
        executor.submit(running);
        started.await();
        TestTask waiting = TestTask.of("a", 1);
        executor.submit(waiting);
        Thread closer = new Thread(() -> executor.close(Duration.ofMillis(50)));
        closer.start();

        await().until(() -> waiting.stopped.get() == 1);
        assertThat(executor.submit(TestTask.of("b", 0))).isEqualTo(Submission.REFUSED_STOPPED);
        gate.countDown();
        closer.join();
        assertThat(running.endings()).isEqualTo(1);
        assertThat(waiting.endings()).isEqualTo(1);
    }

    @Test
    void shutdownUnderLoadEndsEveryAcceptedTaskOnce() throws Exception {
        KeyAffinityExecutor<String, TestTask> executor =
                executor(4, batch -> batch.forEach(task -> task.ran.incrementAndGet()));
        List<List<TestTask>> accepted = new ArrayList<>();
        List<Thread> producers = new ArrayList<>();
        CountDownLatch busy = new CountDownLatch(2_000);
        for (int producer = 0; producer < 3; producer++) {
            List<TestTask> mine = new ArrayList<>();
            accepted.add(mine);
            String prefix = "p" + producer + "-";
            producers.add(new Thread(() -> {
                for (int i = 0; ; i++) {
                    TestTask task = TestTask.of(prefix + i % 7, i);
                    if (executor.submit(task) != Submission.ACCEPTED) {
                        return;
                    }
                    mine.add(task);
                    busy.countDown();
                }
            }));
        }
        producers.forEach(Thread::start);
        busy.await();
        executor.close(Duration.ofSeconds(30));
        for (Thread producer : producers) {
            producer.join();
        }

        accepted.forEach(mine -> assertThat(mine).allMatch(task -> task.endings() == 1));
    }

    @Test
    void aBatchThatThrowsFailsThoseOfItsTasksThatHaveNotEndedAndNotItsWorker() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        KeyAffinityExecutor<String, TestTask> executor = executor(1, batch -> {
            started.countDown();
            awaitGate(gate);
            batch.get(0).ran.incrementAndGet();
            if (batch.size() == 3) {
                throw new StackOverflowError("on purpose");
            }
        });
        executor.submit(TestTask.of("first", 0));
        started.await();
        List<TestTask> gathered = List.of(TestTask.of("a", 1), TestTask.of("a", 2), TestTask.of("a", 3));
        gathered.forEach(executor::submit);
        gate.countDown();
        TestTask next = TestTask.of("b", 1);
        executor.submit(next);

        await().until(() -> next.ran.get() == 1);
        executor.close(Duration.ofSeconds(10));
        assertThat(gathered).extracting(task -> task.ran.get()).containsExactly(1, 0, 0);
        assertThat(gathered).extracting(task -> task.failed.get()).containsExactly(0, 1, 1);
    }

    @Test
    void anEndingThatThrowsFailsItsTaskAndNeitherItsWorkerNorTheOthers() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        KeyAffinityExecutor<String, TestTask> executor = executor(1, batch -> {
            batch.forEach(task -> task.ran.incrementAndGet());
            started.countDown();
            awaitGate(gate);
        });
        executor.submit(TestTask.of("first", 0));
        started.await();
        TestTask late = TestTask.throwing("a", ticker.nanos() - 1);
        executor.submit(late);
        await().until(() -> late.failed.get() == 1); // on the timer's thread
        TestTask stopped = TestTask.throwing("b", Long.MAX_VALUE / 2);
        TestTask other = TestTask.of("c", 0);
        executor.submit(stopped);
        executor.submit(other);
        Thread closer = new Thread(executor::close);
        closer.start();

        await().until(() -> stopped.endings() == 1 && other.endings() == 1);
        gate.countDown();
        closer.join();
        assertThat(stopped.failed.get()).isEqualTo(1);
        assertThat(other.stopped.get()).isEqualTo(1);
    }

    @Test
    void anExpiredTaskWhoseEndingThrowsIsTheOnlyOneOfItsBatchThatFails() throws Exception {
        try (TimerWheel none = TimerWheel.started(() -> 0)) { // no timer fires: the worker finds that it is too late
            CountDownLatch started = new CountDownLatch(1);
            CountDownLatch gate = new CountDownLatch(1);
            KeyAffinityExecutor<String, TestTask> executor = executor(1, none, batch -> {
                batch.forEach(task -> task.ran.incrementAndGet());
                started.countDown();
                awaitGate(gate);
            });
            executor.submit(TestTask.of("first", 0));
            started.await();
            TestTask late = TestTask.throwing("a", ticker.nanos());
            TestTask inTime = TestTask.of("a", 1);
            executor.submit(late);
            executor.submit(inTime);
            gate.countDown();

            await().until(() -> inTime.ran.get() == 1);
            executor.close(Duration.ofSeconds(10));
            assertThat(late.failed.get()).isEqualTo(1);
            assertThat(late.endings()).isEqualTo(1);
        }
    }

    @Test
    void anInterruptThatATaskLeavesBehindDoesNotMeetTheNextOne() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        AtomicBoolean met = new AtomicBoolean();
        KeyAffinityExecutor<String, TestTask> executor = executor(1, batch -> {
            started.countDown();
            awaitGate(gate);
            met.compareAndSet(false, Thread.currentThread().isInterrupted());
            batch.forEach(task -> task.ran.incrementAndGet());
            Thread.currentThread().interrupt();
        });
        executor.submit(TestTask.of("a", 0));
        started.await();
        executor.submit(TestTask.of("b", 0)); // ready, so that its worker does not sleep in between
        gate.countDown();

        executor.close(Duration.ofSeconds(10));
        assertThat(met.get()).isFalse();
    }

    @Test
    void aTaskThatRunsOnItsCallersThreadHoldsItsKeyAndThenStartsAWorker() throws Exception {
        AtomicReference<Thread> first = new AtomicReference<>();
        AtomicReference<Thread> second = new AtomicReference<>();
        TestTask behind = TestTask.of("a", 1);
        CompletableFuture<KeyAffinityExecutor<String, TestTask>> self = new CompletableFuture<>();
        KeyAffinityExecutor<String, TestTask> executor = executor(2, batch -> {
            (batch.get(0).number == 0 ? first : second).set(Thread.currentThread());
            if (batch.get(0).number == 0) {
                assertThat(self.join().submit(behind)).isEqualTo(Submission.ACCEPTED);
                assertThat(self.join().tryRun(TestTask.of("a", 2))).isFalse();
            }
            batch.forEach(task -> task.ran.incrementAndGet());
        });
        self.complete(executor);
        TestTask task = TestTask.of("a", 0);

        assertThat(executor.tryRun(task)).isTrue();
        assertThat(task.ran.get()).isOne();
        assertThat(first.get()).isSameAs(Thread.currentThread());
        await().until(() -> behind.ran.get() == 1);
        assertThat(second.get()).isNotSameAs(Thread.currentThread());
        executor.close(Duration.ofSeconds(10));
        assertThat(executor.tryRun(TestTask.of("a", 3))).isFalse();
    }

    @Test
    void closingWaitsForWhatRunsOnACallersThread() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        KeyAffinityExecutor<String, TestTask> executor = executor(1, batch -> {
            started.countDown();
            awaitGate(gate);
            batch.forEach(task -> task.ran.incrementAndGet());
        });
        TestTask task = TestTask.of("a", 0);
        Thread caller = new Thread(() -> executor.tryRun(task));
        caller.start();
        started.await();
        TestTask waiting = TestTask.of("a", 1);
        executor.submit(waiting);
        Thread closer = new Thread(executor::close);
        closer.start();

        await().until(() -> waiting.stopped.get() == 1);
        await().until(() -> closer.getState() == Thread.State.WAITING);
        gate.countDown();
        closer.join();
        assertThat(task.ran.get()).isOne();
        caller.join();
    }

    @Test
    void aTaskThatThrowsOnItsCallersThreadFailsAndFreesItsKey() throws Exception {
        KeyAffinityExecutor<String, TestTask> executor = executor(1, batch -> {
            throw new StackOverflowError("on purpose");
        });
        TestTask task = TestTask.of("a", 0);
        TestTask late = new TestTask("a", 1, Priority.NORMAL, ticker.nanos() - 1);

        assertThat(executor.tryRun(task)).isTrue();
        assertThat(executor.tryRun(late)).isTrue();
        assertThat(task.failed.get()).isOne();
        assertThat(late.expired.get()).isOne();
        executor.close(Duration.ofSeconds(10));
    }

    /** A task that takes its time to expire. */
    private record SlowToExpire(String key, long deadlineNanos, Runnable whenExpired) implements Task<String> {
        @Override
        public Priority priority() {
            return Priority.NORMAL;
        }

        @Override
        public void expired() {
            whenExpired.run();
        }

        @Override
        public void stopped() {}

        @Override
        public void failed(Throwable cause) {}
    }

    @Test
    void theClockGoesOnWhileAWorkerEndsTasksThatAreOverdue() throws Exception {
        long hour = Duration.ofHours(1).toNanos();
        AtomicLong now = new AtomicLong();
        List<String> ran = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        try (TimerWheel none = TimerWheel.started(() -> 0)) { // no timer takes the tasks from the worker
            KeyAffinityExecutor<String, SlowToExpire> executor = new KeyAffinityExecutor<>(
                    new ThreadKind.Kernel(new NamedThreads("test")),
                    WorkerSelection.leastLoaded(),
                    TestConfig.of(PoolConfig.class)
                            .with("workers", 1)
                            .with("maxWaitingPerKey", 10)
                            .with("maxWaiting", 10)
                            .with("maxBatch", 16)
                            .with("starvationBound", Duration.ofMinutes(1))
                            .create(),
                    batch -> {
                        batch.forEach(task -> ran.add(task.key()));
                        started.countDown();
                        awaitGate(gate);
                    },
                    now::get,
                    none,
                    new DispatchMetrics(new Metrics(now::get), "test"));
            executor.submit(new SlowToExpire("runs", hour, () -> {}));
            started.await();
            executor.submit(new SlowToExpire("overdue", 2 * hour, () -> now.set(5 * hour)));
            executor.submit(new SlowToExpire("overdue by then", 4 * hour, () -> {}));
            now.set(3 * hour);
            gate.countDown();
            executor.close(Duration.ofSeconds(30));
        }

        assertThat(ran).containsExactly("runs");
    }

    private static void awaitGate(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
