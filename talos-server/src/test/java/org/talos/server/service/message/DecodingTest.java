// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.partition.serving.GetPool;
import org.talos.server.runtime.thread.FairThreads;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;

/** Checks how users share two threads, of which one user may have one. */
@Timeout(60)
class DecodingTest {
    private static final LogId ID = new LogId("0123456789abcdef0123456789abcdef", 0);
    private static final int BLOCK_BYTES = 100;

    private final Ticker ticker = SystemTime.ticker();
    private final TimerWheel timers = TimerWheel.started(ticker);
    private final MemoryBudget budget = new MemoryBudget(1 << 20);
    private final Decoding decoding = new Decoding(new FairThreads("decoding", 1), timers, budget);
    private final CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void close() {
        end.countDown();
        decoding.close(Duration.ofSeconds(30));
        timers.close();
    }

    private CompletionStage<String> run(String user, Duration longest, GetPool.Work<String> work) {
        return decoding.run(ID, ticker.nanos() + longest.toNanos(), user, BLOCK_BYTES, work);
    }

    /** Keeps a thread busy until the test ends. */
    private void hold(String user) throws InterruptedException {
        CountDownLatch held = new CountDownLatch(1);
        var unused = run(user, Duration.ofHours(1), memory -> {
            held.countDown();
            end.await();
            return "held";
        });
        held.await();
    }

    @Test
    void workOfOneUserLeavesAThreadToOthers() throws Exception {
        hold("bob");
        var unused = run("bob", Duration.ofHours(1), memory -> "waits");

        CompletionStage<String> done = run("ada", Duration.ofHours(1), memory -> "done");

        assertThat(done.toCompletableFuture().get(30, TimeUnit.SECONDS)).isEqualTo("done");
    }

    @Test
    void workThatWaitsBeyondItsDeadlineFailsThenAndNeverRuns() throws Exception {
        hold("bob");
        hold("cyd");
        AtomicBoolean ran = new AtomicBoolean();

        CompletionStage<String> late = run("ada", Duration.ofMillis(20), memory -> {
            ran.set(true);
            return "ran";
        });

        assertThatThrownBy(() -> late.toCompletableFuture().get(30, TimeUnit.SECONDS))
                .hasMessageContaining("the deadline passed before the request was run");
        await().until(() -> budget.used() == 2 * BLOCK_BYTES); // of those that hold the threads
        end.countDown();
        decoding.close(Duration.ofSeconds(30));
        assertThat(ran).isFalse();
        assertThat(budget.used()).isZero();
    }

    @Test
    void workThatStillWaitsAtTheEndOfTheGraceFailsAsByAServerThatStops() throws Exception {
        hold("bob");
        CompletionStage<String> beyondHisPart = run("bob", Duration.ofHours(1), memory -> "ran");
        hold("cyd");
        CompletionStage<String> waiting = run("ada", Duration.ofHours(1), memory -> "ran");

        decoding.close(Duration.ZERO);

        assertStopped(beyondHisPart);
        assertStopped(waiting);
        assertThat(budget.used()).isEqualTo(2 * BLOCK_BYTES); // of those that hold the threads
    }

    @Test
    void workThatComesAfterTheStopIsRefused() {
        decoding.close(Duration.ZERO);

        assertStopped(run("ada", Duration.ofHours(1), memory -> "ran"));
        assertThat(budget.used()).isZero();
    }

    /** Clients send the request again, to the server that has the partition then. */
    private static void assertStopped(CompletionStage<String> work) {
        assertThatThrownBy(() -> work.toCompletableFuture().get(30, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(TalosException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.PARTITION_NOT_SERVING);
                    assertThat(e.effect()).isEqualTo(Effect.NONE);
                })
                .hasMessageContaining("the server is stopping");
    }
}
