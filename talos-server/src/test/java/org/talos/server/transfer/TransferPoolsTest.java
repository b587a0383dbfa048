// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.talos.server.transfer.TransferFixture.LOG;
import static org.talos.server.transfer.TransferFixture.assertFails;
import static org.talos.server.transfer.TransferFixture.at;
import static org.talos.server.transfer.TransferFixture.config;
import static org.talos.server.transfer.TransferFixture.context;
import static org.talos.server.transfer.TransferFixture.put;
import static org.talos.server.transfer.TransferFixture.result;
import static org.talos.server.transfer.TransferFixture.stored;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.common.error.Effect;
import org.talos.server.config.TransferConfig.TransferPools;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.transfer.HeldRequests.Held;
import org.talos.server.transfer.client.Transfer;
import org.talos.thrift.ErrorCode;

/** Queues and threads of the models of {@code transfer.pools}, above all of those kept for comparison. */
@Timeout(60)
class TransferPoolsTest {
    private final TransferFixture fixture = new TransferFixture();
    private final HeldRequests there = new HeldRequests();

    @AfterEach
    void close() throws Exception {
        there.close();
        fixture.close();
    }

    @Test
    void fullQueueRefuses() throws Exception {
        PartitionRequests other = fixture.transfer(config(0, TransferPools.PER_HOST, 1, 1))
                .to(at("b", fixture.server(there).port()));

        CompletionStage<AppendResult> running = other.put(LOG, put("1"), context());
        Held first = there.next();
        CompletionStage<AppendResult> queued = other.put(LOG, put("2"), context());
        CompletionStage<AppendResult> refused = other.put(LOG, put("3"), context());

        assertFails(refused, ErrorCode.EXCESSIVE_PENDING_MESSAGE, Effect.NONE);
        first.answer().complete(stored(1));
        there.next().answer().complete(stored(2));
        assertThat(result(running).firstOffset()).isEqualTo(1);
        assertThat(result(queued).firstOffset()).isEqualTo(2);
        assertThat(there.nothingAsked()).isTrue();
    }

    @Test
    void requestThatExpiresInTheQueueLeavesRoomForTheNext() throws Exception {
        PartitionRequests other = fixture.transfer(config(0, TransferPools.PER_HOST, 1, 1))
                .to(at("b", fixture.server(there).port()));
        CompletionStage<AppendResult> running = other.put(LOG, put("1"), context());
        Held first = there.next();

        assertFails(
                other.put(LOG, put("2"), context(Duration.ofMillis(30))),
                ErrorCode.REQUEST_PROCESS_TIMEOUT,
                Effect.NONE);
        Awaitility.await().until(() -> {
            CompletionStage<AppendResult> tried = other.put(LOG, put("3"), context(Duration.ofMillis(30)));
            return !tried.toCompletableFuture().isCompletedExceptionally(); // taken into the queue
        });

        first.answer().complete(stored(1));
        assertThat(result(running).firstOffset()).isEqualTo(1);
    }

    @Test
    void slowServerDelaysNoRequestToOthers() throws Exception {
        HeldRequests slow = new HeldRequests();
        int slowPort = fixture.server(slow).port();
        int port = fixture.server(there).port();
        Transfer transfer = fixture.transfer(config(0, TransferPools.PER_HOST, 4, 28));
        PartitionRequests toSlow = transfer.to(at("slow", slowPort));
        List<CompletionStage<AppendResult>> stuck = new ArrayList<>();
        for (int i = 0; i < 14; i++) { // all its threads, and as many as one user may queue while those start
            stuck.add(toSlow.put(LOG, put("slow"), context()));
        }

        for (String id : List.of("b", "c")) {
            CompletionStage<AppendResult> answer = transfer.to(at(id, port)).put(LOG, put(id), context());
            there.next().answer().complete(stored(8));
            assertThat(result(answer).firstOffset()).isEqualTo(8);
        }

        assertThat(stuck).noneMatch(each -> each.toCompletableFuture().isDone());
        for (int i = 0; i < 14; i++) {
            slow.next().answer().complete(stored(i));
        }
        for (CompletionStage<AppendResult> each : stuck) {
            result(each);
        }
    }

    @ParameterizedTest
    @CsvSource({"MULTIPLEXED, transfer-answers", "PER_HOST, transfer"})
    void serversHaveThreadsOfTheirOwn(TransferPools pools, String role) throws Exception {
        Transfer transfer = fixture.transfer(config(0, pools, 4, 10));
        List<String> threads = new ArrayList<>();

        for (String id : List.of("b", "c")) {
            HeldRequests requests = new HeldRequests();
            CompletableFuture<String> thread = transfer.to(
                            at(id, fixture.server(requests).port()))
                    .put(LOG, put(id), context())
                    .thenApply(done -> Thread.currentThread().getName())
                    .toCompletableFuture();
            requests.next().answer().complete(stored(8));
            threads.add(result(thread));
        }

        assertThat(threads).containsExactly("talos-" + role + "-b-0", "talos-" + role + "-c-0");
    }

    @Test
    void slowServersDelayAllRequestsOfASharedPool() throws Exception {
        HeldRequests slow = new HeldRequests();
        HeldRequests slowToo = new HeldRequests();
        Transfer transfer = fixture.transfer(config(0, TransferPools.SHARED, 4, 1_000));
        // 200 threads wait for two servers with 100 connections each, as the older model could.
        PartitionRequests first = transfer.to(at("slow", fixture.server(slow).port()));
        PartitionRequests second =
                transfer.to(at("slowToo", fixture.server(slowToo).port()));
        for (int i = 0; i < 100; i++) {
            var unused = first.put(LOG, put("s"), context());
            var unusedToo = second.put(LOG, put("s"), context());
        }
        List<Held> held = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            held.add(slow.next());
            held.add(slowToo.next());
        }

        CompletionStage<AppendResult> answer =
                transfer.to(at("b", fixture.server(there).port())).put(LOG, put("b"), context());

        assertFails(
                transfer.to(at("b", 1)).put(LOG, put("b"), context(Duration.ofMillis(50))),
                ErrorCode.REQUEST_PROCESS_TIMEOUT,
                Effect.NONE); // it stood in the queue
        assertThat(there.nothingAsked()).isTrue();
        held.forEach(each -> each.answer().complete(stored(1)));
        there.next().answer().complete(stored(9));
        assertThat(result(answer).firstOffset()).isEqualTo(9);
    }
}
