// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.talos.client.ScriptedServer.error;
import static org.talos.client.ScriptedServer.result;

import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.ScriptedServer;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.TopicDescription;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.PipelinedProducer;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;

@Timeout(30)
class PutBatchesTest {
    private ScriptedServer server;
    private PutBatches batches;
    private long number;

    @BeforeEach
    void start() throws Exception {
        server = new ScriptedServer();
        batches = batches(1);
    }

    private PutBatches batches(int mostInFlight) throws TalosClientException {
        var topic = new TopicDescription("orders", "a#orders#1", "a", 4, Duration.ofDays(1));
        return new PutBatches(
                new PipelinedProducer(
                        new TalosClient(new TalosEndpoint(server.uri(), "AK1", "s")).once(), topic, Compression.NONE),
                4,
                0,
                mostInFlight);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private void taken(int times) {
        for (int i = 0; i < times; i++) {
            server.then(result(new PutMessageResponse("id")));
        }
    }

    private void add(int partition, int times) throws Exception {
        for (int i = 0; i < times; i++) {
            batches.add(OptionalInt.of(partition), OutgoingMessage.of("m" + i), ++number);
        }
    }

    private List<Integer> sent() {
        return server.asked().stream()
                .map(each -> each.request(new PutMessageRequest()).getMessageNumber())
                .toList();
    }

    @Test
    void messagesArePutWhenTheBatchIsFullOrFlushed() throws Exception {
        taken(3);

        add(0, 1_000);
        assertThat(sent()).containsExactly(1_000);
        add(0, 3);
        add(2, 1);
        assertThat(sent()).containsExactly(1_000);
        batches.flush();

        assertThat(sent()).containsExactly(1_000, 3, 1);
        assertThat(batches.byPartition()).containsExactly(entry(0, 1_003L), entry(2, 1L));
        assertThat(batches.total()).isEqualTo(1_004);
    }

    @Test
    void largeMessageDoesNotMakeABatchLarger() throws Exception {
        taken(2);
        batches.add(OptionalInt.of(0), OutgoingMessage.of(new byte[700_000]), 1);
        batches.add(OptionalInt.of(0), OutgoingMessage.of(new byte[700_000]), 2);
        batches.flush();

        assertThat(sent()).containsExactly(1, 1);
    }

    @Test
    void messagesForNoPartitionGoRoundByBatch() throws Exception {
        taken(5);
        for (int i = 0; i < 5; i++) {
            batches.add(OptionalInt.empty(), OutgoingMessage.of("m"), ++number);
            batches.add(OptionalInt.empty(), OutgoingMessage.of("m"), ++number);
            batches.flush();
            batches.flush(); // of nothing: no turn is lost
        }

        assertThat(batches.byPartition()).containsExactly(entry(0, 4L), entry(1, 2L), entry(2, 2L), entry(3, 2L));
    }

    @Test
    void refusedPutLeavesWhatWasStoredBefore() throws Exception {
        taken(1);
        server.then(error(ErrorCode.THROTTLE_REJECT_ERROR, "too many"));
        add(1, 3);
        add(0, 2);

        assertThatThrownBy(batches::flush).isInstanceOf(TalosClientException.class);

        assertThat(batches.progress().isUnknown()).isFalse();
        assertThat(batches.progress().document(OptionalLong.empty()).text("lines"))
                .isEqualTo("lines 4-5 are stored, 1-3,6- are not");
    }

    @Test
    void nothingIsStoredBehindAFailedBatchOfItsPartitionThoughSeveralAreInFlight() throws Exception {
        batches = batches(64);
        taken(1);
        server.then(error(ErrorCode.THROTTLE_REJECT_ERROR, "too many"));

        assertThatThrownBy(() -> {
                    add(1, 3_500); // which may learn of it already
                    batches.flush();
                })
                .hasMessage("THROTTLE_REJECT_ERROR: too many");

        assertThat(batches.progress().document(OptionalLong.empty()).text("lines"))
                .isEqualTo("lines 1-1000 are stored, 1001- are not");
        assertThat(sent()).containsExactly(1_000, 1_000);
    }

    @Test
    void whatIsInFlightIsWaitedForBeforeItIsTold() throws Exception {
        batches = batches(64);
        CountDownLatch wanted = new CountDownLatch(1);
        server.then((exchange, body) -> {
            awaitUninterruptibly(wanted);
            result(new PutMessageResponse("id")).to(exchange, body);
        });
        add(2, 1_000);
        add(2, 1);
        wanted.countDown();

        assertThat(batches.progress().document(OptionalLong.of(1_001)).text("lines"))
                .isEqualTo("lines 1-1000 are stored, 1001 is not");
        assertThat(batches.total()).isEqualTo(1_000);
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void putOfUnknownOutcomeIsKeptApart() throws Exception {
        taken(1);
        server.then(error(ErrorCode.HDFS_OPERATION_FAILED, "storage"));
        add(0, 2);
        add(1, 3);
        add(2, 1);

        assertThatThrownBy(batches::flush).isInstanceOf(TalosClientException.class);

        assertThat(batches.progress().isUnknown()).isTrue();
        assertThat(batches.progress().document(OptionalLong.of(6)).text("lines"))
                .isEqualTo("lines 1-2 are stored, 3-5 may be, 6 is not");
    }
}
