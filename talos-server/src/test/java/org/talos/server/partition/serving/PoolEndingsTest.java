// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.config.PoolConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.dispatch.BatchRunner;
import org.talos.server.dispatch.KeyAffinityExecutor;
import org.talos.server.dispatch.Priority;
import org.talos.server.dispatch.Task;
import org.talos.server.dispatch.ThreadKind;
import org.talos.server.dispatch.WorkerSelection;
import org.talos.server.log.Block;
import org.talos.server.log.Put;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metrics.DispatchMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.partition.serving.PutPool.PutTask;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogId;

/** Work in the pools ends for those who wait for it, whatever it throws. */
@Timeout(60)
class PoolEndingsTest {
    private static final LogId ID = new LogId("0123456789abcdef".repeat(2), 0);
    private static final long FAR = Long.MAX_VALUE / 2;

    private final Ticker ticker = SystemTime.ticker();
    private final TimerWheel timers = TimerWheel.started(ticker);

    @AfterEach
    void stopTimers() {
        timers.close();
    }

    private <T extends Task<LogId>> KeyAffinityExecutor<LogId, T> executor(BatchRunner<T> runner) {
        return new KeyAffinityExecutor<>(
                new ThreadKind.Kernel(new NamedThreads("test")),
                WorkerSelection.leastLoaded(),
                TestConfig.of(PoolConfig.class)
                        .with("workers", 1)
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

    private static void assertFailedBy(CompletionStage<?> stage, Class<? extends Throwable> cause) {
        assertThatThrownBy(() -> stage.toCompletableFuture().get(30, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(cause);
    }

    @Test
    void putsOfABatchThatThrowsFail() {
        try (KeyAffinityExecutor<LogId, PutTask> executor = executor(batch -> {
            throw new StackOverflowError("on purpose");
        })) {
            ByteBuffer bytes = ByteBuffer.wrap(new byte[1]);
            Block block = new Block(1, 0, 0, ByteBuffer.allocate(0), bytes);
            Put put = new Put("c#1", Put.Origin.UNIQUE, List.of(block));

            assertFailedBy(
                    new PutPool(executor, true).submit(ID, put, Priority.NORMAL, new ForwardContext("ann", FAR)),
                    StackOverflowError.class);
        }
    }

    @Test
    void workThatThrowsAnErrorFailsAloneInItsBatch() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        AtomicInteger after = new AtomicInteger();
        try (KeyAffinityExecutor<LogId, PoolTask<LogId>> executor = executor(GetPool::runBatch)) {
            GetPool pool = new GetPool(executor, new MemoryBudget(1 << 20));
            CompletionStage<Boolean> first = pool.run(ID, Priority.NORMAL, FAR, () -> {
                started.countDown();
                return gate.await(30, TimeUnit.SECONDS);
            });
            started.await();
            CompletionStage<String> failing = PoolTask.submit(
                    executor,
                    ID,
                    Priority.NORMAL,
                    FAR,
                    () -> {
                        throw new StackOverflowError("on purpose");
                    },
                    after::incrementAndGet);
            Runnable throwing = () -> {
                after.incrementAndGet();
                throw new IllegalStateException("on purpose");
            };
            CompletionStage<String> afterwards =
                    PoolTask.submit(executor, ID, Priority.NORMAL, FAR, () -> "ran", throwing);
            CompletionStage<String> last = pool.run(ID, Priority.NORMAL, FAR, () -> "ran");
            gate.countDown();

            assertThat(first.toCompletableFuture().get()).isTrue();
            assertFailedBy(failing, StackOverflowError.class);
            assertThat(afterwards.toCompletableFuture().get(30, TimeUnit.SECONDS))
                    .isEqualTo("ran");
            assertThat(last.toCompletableFuture().get(30, TimeUnit.SECONDS)).isEqualTo("ran");
        }
        assertThat(after.get()).isEqualTo(2);
    }

    @Test
    void workThatIsNeverRunEndsAlthoughWhatFollowsItThrows() {
        AtomicInteger after = new AtomicInteger();
        try (KeyAffinityExecutor<LogId, PoolTask<LogId>> executor = executor(batch -> {
            throw new IllegalStateException("before any of them");
        })) {
            CompletionStage<String> result = PoolTask.submit(executor, ID, Priority.NORMAL, FAR, () -> "ran", () -> {
                after.incrementAndGet();
                throw new IllegalArgumentException("on purpose");
            });

            assertFailedBy(result, IllegalStateException.class);
        }
        assertThat(after.get()).isEqualTo(1);
    }
}
