// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.talos.client.ScriptedServer.error;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.ScriptedServer;
import org.talos.client.TalosClientException.Outcome;
import org.talos.thrift.ErrorCode;

/** The snapshot of a producer. */
@Timeout(60)
class ProducerSnapshotTest extends ProducerFixture {
    @Test
    void producerThatHasDoneNothingSaysSo() throws Exception {
        try (TalosProducer producer = open(3)) {
            ProducerSnapshot snapshot = producer.snapshot();

            assertThat(snapshot)
                    .isEqualTo(new ProducerSnapshot(
                            "orders",
                            ProducerSnapshot.State.OPEN,
                            3,
                            snapshot.lastContact(),
                            0,
                            0,
                            0,
                            0,
                            0,
                            0,
                            0,
                            Optional.empty()));
            assertThat(snapshot.meanBatchMessages()).isZero();
            assertThat(snapshot.meanBatchBytes()).isZero();
            assertThat(snapshot.lastContact()).isAfter(Instant.EPOCH);
        }
    }

    @Test
    void storedMessagesAreCountedWithTheirPuts() throws Exception {
        config = config.toBuilder()
                .maxBatchMessages(3)
                .linger(LONG)
                .compression(Compression.NONE)
                .build();
        stored(2);
        try (TalosProducer producer = open(1)) {
            List<CompletableFuture<PutResult>> sent = List.of(
                    producer.send(OutgoingMessage.of("a")),
                    producer.send(OutgoingMessage.of("b")),
                    producer.send(OutgoingMessage.of("c")));
            CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).get();
            producer.send(0, List.of(OutgoingMessage.of("d")), "row-17").get();
            await().until(() -> producer.snapshot().bufferedBytes() == 0);
            ProducerSnapshot snapshot = producer.snapshot();

            assertThat(snapshot.storedMessages()).isEqualTo(4);
            assertThat(snapshot.storedPuts()).isEqualTo(2);
            assertThat(snapshot.meanBatchMessages()).isEqualTo(2);
            assertThat(snapshot.storedBytes()).isBetween(4L * 20, 4L * 40);
            assertThat(snapshot.meanBatchBytes()).isEqualTo(snapshot.storedBytes() / 2.0);
            assertThat(snapshot.failedMessages()).isZero();
            assertThat(snapshot.bufferedMessages()).isZero();
            assertThat(snapshot.putsInFlight()).isZero();
        }
    }

    @Test
    void whatIsBufferedAndInFlightIsShownAndThenGone() throws Exception {
        config = config.toBuilder()
                .maxBatchMessages(2)
                .linger(Duration.ZERO)
                .closeTimeout(Duration.ZERO)
                .build();
        CountDownLatch gate = new CountDownLatch(1);
        server.otherwise(held(gate));
        TalosProducer producer = open(2);
        try {
            for (int i = 0; i < 4; i++) {
                var unused = producer.send(0, OutgoingMessage.of("a"));
            }
            var unused = producer.send(1, OutgoingMessage.of("b"));
            await().until(() -> puts().size() == 2);
            ProducerSnapshot busy = producer.snapshot();
            assertThat(busy.bufferedMessages()).isEqualTo(5);
            assertThat(busy.bufferedBytes()).isBetween(5L * 100, 5L * 300);
            assertThat(busy.putsInFlight()).isEqualTo(2);

            producer.close();
        } finally {
            gate.countDown();
        }
        await().until(() -> producer.snapshot().putsInFlight() == 0);
        ProducerSnapshot closed = producer.snapshot();

        assertThat(closed.state()).isEqualTo(ProducerSnapshot.State.CLOSED);
        assertThat(closed.bufferedMessages()).isZero();
        assertThat(closed.bufferedBytes()).isZero();
        assertThat(closed.failedMessages()).isEqualTo(5);
        assertThat(closed.lastFailure()).map(ProducerSnapshot.Failure::code).hasValue("CLOSED");
    }

    @Test
    void failuresAreCountedAndTheLastIsTold() throws Exception {
        config = config.toBuilder().maxBatchMessages(1).linger(Duration.ZERO).build();
        server.then(error(ErrorCode.PERMISSION_DENIED_ERROR, "no"));
        try (TalosProducer producer = open(1)) {
            var tooLarge = failure(producer.send(0, OutgoingMessage.of(new byte[(10 << 20) + 1])));
            assertThat(tooLarge.code()).isEqualTo("REQUEST_TOO_LARGE");
            var denied = failure(producer.send(0, List.of(OutgoingMessage.of("a"), OutgoingMessage.of("b")), "row-17"));
            assertThat(denied.code()).isEqualTo("PERMISSION_DENIED_ERROR");
            ProducerSnapshot snapshot = producer.snapshot();

            assertThat(snapshot.failedMessages()).isEqualTo(3);
            assertThat(snapshot.storedMessages()).isZero();
            ProducerSnapshot.Failure last = snapshot.lastFailure().orElseThrow();
            assertThat(last.code()).isEqualTo("PERMISSION_DENIED_ERROR");
            assertThat(last.outcome()).isEqualTo(Outcome.DID_NOT_HAPPEN);
            assertThat(last.at()).isAfterOrEqualTo(snapshot.lastContact().minusSeconds(30));
        }
    }

    @Test
    void contactIsWhatAServerHasAnsweredAndNothingElse() throws Exception {
        config = config.toBuilder()
                .maxBatchMessages(1)
                .linger(Duration.ZERO)
                .deliveryTimeout(Duration.ofMillis(300))
                .build();
        server.then(error(ErrorCode.PERMISSION_DENIED_ERROR, "no"));
        try (TalosProducer producer = open(1)) {
            Instant opened = producer.snapshot().lastContact();
            await().until(() -> {
                server.first(error(ErrorCode.PERMISSION_DENIED_ERROR, "no"));
                var refused = failure(producer.send(0, OutgoingMessage.of("a")));
                return refused.code().equals("PERMISSION_DENIED_ERROR")
                        && producer.snapshot().lastContact().isAfter(opened);
            });
            Instant answered = producer.snapshot().lastContact();
            server.close();
            server = new ScriptedServer(); // another one, which nobody knows

            assertThat(failure(producer.send(0, OutgoingMessage.of("a"))).code())
                    .isEqualTo("CONNECTION");
            assertThat(producer.snapshot().lastContact()).isEqualTo(answered);
        }
    }
}
