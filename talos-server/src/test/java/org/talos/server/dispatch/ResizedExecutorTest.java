// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.config.PoolConfig;
import org.talos.server.config.WorkerCount;
import org.talos.server.config.load.TestConfig;
import org.talos.server.metrics.DispatchMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.metrics.PrometheusText;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;

/** The executor while the number of its workers changes; races are held still by gates. */
@Timeout(60)
class ResizedExecutorTest {
    private static final String POOL = "resized";

    private final Ticker ticker = SystemTime.ticker();
    private final TimerWheel timers = TimerWheel.started(ticker);
    private Metrics metrics = new Metrics(ticker); // of the newest executor

    @AfterEach
    void stopTimers() {
        timers.close();
    }

    private KeyAffinityExecutor<String, TestTask> executor(
            TestSelection selection, WorkerCount workers, BatchRunner<TestTask> runner) {
        metrics = new Metrics(ticker);
        return new KeyAffinityExecutor<>(
                new ThreadKind.Kernel(new NamedThreads(POOL)),
                selection.selection(),
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
                new DispatchMetrics(metrics, POOL));
    }

    private KeyAffinityExecutor<String, TestTask> executor(int workers, BatchRunner<TestTask> runner) {
        KeyAffinityExecutor<String, TestTask> executor = executor(TestSelection.LEAST_LOADED, WorkerCount.AUTO, runner);
        executor.resize(workers);
        return executor;
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("talos-" + POOL))
                .count();
    }

    @Test
    void whatWaitsBehindWorkersThatAreAllHeldUpIsRunByTheNextOnes() throws Exception {
        Semaphore gate = new Semaphore(0);
        CountDownLatch held = new CountDownLatch(2);
        KeyAffinityExecutor<String, TestTask> executor = executor(2, batch -> {
            if (batch.get(0).key.startsWith("held")) {
                held.countDown();
                gate.acquireUninterruptibly();
            }
            batch.forEach(task -> task.ran.incrementAndGet());
        });
        executor.submit(TestTask.of("held-1", 0));
        executor.submit(TestTask.of("held-2", 0));
        held.await();
        TestTask other = TestTask.of("a", 0);
        TestTask sameKey = TestTask.of("held-1", 1);
        executor.submit(other);
        executor.submit(sameKey);

        executor.resize(3);

        await().until(() -> other.ran.get() == 1);
        assertThat(sameKey.ran.get()).isZero(); // its key is held up
        gate.release(3);
        await().until(() -> sameKey.ran.get() == 1);
        executor.close(Duration.ofSeconds(10));
    }

    @Test
    void workersThatAreTooManyEndAsleepOrAfterTheirBatch() throws Exception {
        Semaphore gate = new Semaphore(0);
        CountDownLatch held = new CountDownLatch(3);
        KeyAffinityExecutor<String, TestTask> executor = executor(8, batch -> {
            held.countDown();
            gate.acquireUninterruptibly();
            batch.forEach(task -> task.ran.incrementAndGet());
        });
        List<TestTask> tasks = List.of(TestTask.of("a", 0), TestTask.of("b", 0), TestTask.of("c", 0));
        tasks.forEach(executor::submit);
        held.await();

        executor.resize(1);

        assertThat(executor.workers()).isEqualTo(1);
        await().until(() -> threads() <= 4); // those with a batch, and perhaps the one that stays
        gate.release(3);
        await().until(() -> threads() == 1);
        assertThat(tasks).allMatch(task -> task.ran.get() == 1);
        TestTask later = TestTask.of("d", 0);
        gate.release();
        executor.submit(later);
        await().until(() -> later.ran.get() == 1);
        executor.close(Duration.ofSeconds(10));
        assertThat(threads()).isZero();
    }

    @Test
    void tasksOfAKeyStayInOrderAndAloneWhileWorkersComeAndGo() throws Exception {
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
        List<TestTask> all = new ArrayList<>();
        for (int i = 0; i < 4_000; i++) {
            TestTask task = TestTask.of("key-" + i % 5, i);
            all.add(task);
            assertThat(executor.submit(task)).isEqualTo(Submission.ACCEPTED);
            if (i % 20 == 0) {
                executor.resize(1 + i / 20 % 7);
            }
        }
        executor.close(Duration.ofSeconds(30));

        assertThat(together.get()).isZero();
        assertThat(all).allMatch(task -> task.ran.get() == 1 && task.endings() == 1);
        order.values().forEach(numbers -> assertThat(numbers).isSorted().hasSize(800));
        assertThat(threads()).isZero();
    }

    @Test
    void theLastWorkerRunsWhatOneThatEndsWasWokenFor() throws Exception {
        for (int round = 0; round < 300; round++) {
            CountDownLatch ran = new CountDownLatch(1);
            KeyAffinityExecutor<String, TestTask> executor = executor(2, batch -> ran.countDown());
            Thread shrink = new Thread(() -> executor.resize(1));
            shrink.start();
            executor.submit(TestTask.of("a", round));

            assertThat(ran.await(20, TimeUnit.SECONDS)).isTrue();
            shrink.join();
            executor.close();
        }
    }

    @Test
    void aTaskExpiresThatWaitsForAWorkerThatIsTakenAway() throws Exception {
        Semaphore gate = new Semaphore(0);
        CountDownLatch held = new CountDownLatch(2);
        KeyAffinityExecutor<String, TestTask> executor = executor(2, batch -> {
            held.countDown();
            gate.acquireUninterruptibly();
            batch.forEach(task -> task.ran.incrementAndGet());
        });
        await().until(() -> threads() == 2); // one that is too many may still take what comes before it ends
        List<TestTask> running = List.of(TestTask.of("held-1", 0), TestTask.of("held-2", 0));
        running.forEach(executor::submit);
        held.await();
        long deadline = ticker.nanos() + Duration.ofMillis(200).toNanos();
        List<TestTask> late = Stream.of("held-1", "held-2", "a", "b")
                .map(key -> new TestTask(key, 1, Priority.NORMAL, deadline))
                .toList();
        late.forEach(executor::submit);

        executor.resize(1);

        await().until(() -> late.stream().allMatch(task -> task.expired.get() == 1));
        assertThat(executor.waiting()).isZero();
        gate.release(2);
        executor.close(Duration.ofSeconds(10));
        assertThat(running).allMatch(task -> task.ran.get() == 1);
        assertThat(late).allMatch(task -> task.endings() == 1);
    }

    @Test
    void aWorkerThatIsStartedAgainGoesOnWithItsMeasures() throws Exception {
        Semaphore gate = new Semaphore(0);
        AtomicInteger held = new AtomicInteger();
        KeyAffinityExecutor<String, TestTask> executor = executor(3, batch -> {
            held.incrementAndGet();
            gate.acquireUninterruptibly();
        });
        await().until(() -> threads() == 3);
        for (int round = 1; round <= 3; round++) {
            executor.resize(3);
            for (int key = 0; key < 3; key++) {
                executor.submit(TestTask.of("key-" + key, round));
            }
            int all = 3 * round;
            await().until(() -> held.get() == all); // by three at once
            executor.resize(1);
            gate.release(3);
            await().until(() -> threads() == 1);
        }
        executor.close();

        assertThat(new PrometheusText(metrics).write())
                .contains("talos_dispatch_queue_wait_seconds_count{pool=\"resized\"} 9")
                .contains("talos_dispatch_run_seconds_count{pool=\"resized\"} 9")
                .contains("talos_dispatch_distinct_workers{pool=\"resized\"} 3");
    }

    @Test
    void aWorkerThatHasNeverBeenStartedTakesNoRoom() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        KeyAffinityExecutor<String, TestTask> executor =
                executor(TestSelection.LEAST_LOADED, WorkerCount.AUTO, batch -> {});
        long bytes = threads.getCurrentThreadAllocatedBytes() - before;
        executor.close();

        assertThat(bytes).isLessThan(300_000 + 100L * executor.mostWorkers()); // with measures 650 each
    }

    @Test
    void workersWithQueuesOfTheirOwnStayAsManyAsTheyAre() {
        KeyAffinityExecutor<String, TestTask> executor =
                executor(TestSelection.OWN_QUEUES, WorkerCount.AUTO, batch -> {});
        int before = executor.workers();

        executor.resize(before + 5);

        assertThat(executor.workers()).isEqualTo(before).isEqualTo(WorkerCount.AUTO.least());
        executor.close();
    }

    @Test
    void aFixedNumberIsNotExceeded() {
        KeyAffinityExecutor<String, TestTask> executor =
                executor(TestSelection.LEAST_LOADED, WorkerCount.of(3), batch -> {});

        executor.resize(5);

        assertThat(executor.workers()).isEqualTo(3);
        executor.close();
    }

    @Test
    void aPoolThatIsClosedStartsNoMoreWorkers() {
        KeyAffinityExecutor<String, TestTask> executor = executor(2, batch -> {});
        executor.close();

        executor.resize(6);

        assertThat(threads()).isZero();
    }
}
