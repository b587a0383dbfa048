// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.auth.Principal;
import org.talos.server.auth.quota.QuotaGate;
import org.talos.server.config.QuotaConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.quota.Quotas;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.metrics.Metrics;
import org.talos.server.metrics.QuotaMetrics;
import org.talos.server.runtime.client.Presence;
import org.talos.server.runtime.thread.Continuation;
import org.talos.server.runtime.thread.HandTurnedWheel;
import org.talos.server.testing.AmpleMemory;

/** Gets over their rate, under timers that the test turns. */
class ThrottleTest {
    private static final Duration DELAY = Duration.ofMillis(200);
    private static final QuotaConfig ONE_GET = TestConfig.of(QuotaConfig.class)
            .with("getsPerSecond", 1)
            .with("autoApprovePartitions", 10)
            .with("topicsPerUser", 1_000)
            .with("partitionsPerUser", 10_000)
            .with("topicBytesPerUser", 8 << 20)
            .with("refusalDelay", DELAY)
            .create();
    private static final TopicRecord TOPIC = new TopicRecord(
            "orders", "0123456789abcdef".repeat(2), "ann", 1, 1, 60, Map.of(), Map.of(), 0, 0, null, null, List.of());

    @TempDir
    private Path data;

    private final Queue<Runnable> selector = new ArrayDeque<>();
    private long now;
    private final HandTurnedWheel timers = HandTurnedWheel.of(() -> now);
    private RocksDbMetadataStore store;
    private QuotaGate gate;
    private Throttle throttle;

    @BeforeEach
    void open() throws Exception {
        store = RocksDbMetadataStore.open(data);
        gate = new QuotaGate(ONE_GET, Quotas.load(store), () -> now, new QuotaMetrics(new Metrics(() -> now)));
        throttle = new Throttle(gate, new WaitingRequests(100), timers.wheel(), () -> now, DELAY);
    }

    @AfterEach
    void close() {
        store.close();
    }

    private CallContext context(@Nullable Continuation continuation) {
        ClientInfo client = new ClientInfo("", OptionalLong.empty(), "1");
        KnownCaller caller = new KnownCaller(Principal.NOBODY, () -> Principal.NOBODY, client);
        return new CallContext(caller, now, now, continuation, Presence.UNSEEN, AmpleMemory.ofRequest());
    }

    private CompletableFuture<String> get(@Nullable Continuation continuation) {
        return throttle.get(
                        context(continuation), TOPIC, 0, () -> CompletableFuture.completedFuture("got"), String::length)
                .toCompletableFuture();
    }

    private void pass(Duration time) {
        now += time.toNanos();
        timers.turn();
    }

    private CompletableFuture<String> getOverTheRate(@Nullable Continuation continuation) {
        CompletableFuture<String> result = get(continuation);
        while (result.isDone()) {
            assertThat(result).isCompletedWithValue("got");
            result = get(continuation);
        }
        return result;
    }

    @Test
    void refusalIsGivenWhereTheRequestGoesOn() {
        CompletableFuture<String> refused = getOverTheRate(selector::add);

        pass(DELAY.dividedBy(2));
        assertThat(selector).isEmpty();
        pass(DELAY);
        assertThat(refused).as("all deadlines wait for the timers' thread").isNotDone();
        selector.remove().run();

        assertThat(refused).isCompletedExceptionally();
    }

    @Test
    void refusalIsGivenByTheTimersWhereAnyThreadMay() {
        CompletableFuture<String> refused = getOverTheRate(null);

        pass(DELAY.dividedBy(2));
        assertThat(refused).isNotDone();
        pass(DELAY);

        assertThat(refused).isCompletedExceptionally();
    }

    @Test
    void getThatThrowsAnErrorNoLongerCountsAsWaiting() {
        WaitingRequests waiting = new WaitingRequests(1);
        Throttle ofOne = new Throttle(gate, waiting, timers.wheel(), () -> now, DELAY);

        assertThatThrownBy(() -> ofOne.get(context(null), TOPIC, 1, ThrottleTest::fail, each -> 0))
                .isInstanceOf(StackOverflowError.class);

        assertThat(waiting.users()).isZero();
    }

    private static CompletableFuture<String> fail() {
        throw new StackOverflowError("of a test");
    }
}
