// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.talos.client.ScriptedServer.error;
import static org.talos.client.ScriptedServer.result;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.cli.CommandException;
import org.talos.client.ScriptedServer;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.TopicDescription;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;

@Timeout(30)
class PutBatchesTest {
    private ScriptedServer server;
    private PutBatches batches;

    @BeforeEach
    void start() throws IOException {
        server = new ScriptedServer();
        var topic = new TopicDescription("orders", "a#orders#1", "a", 4, Duration.ofDays(1));
        batches = new PutBatches(new SimpleProducer(
                new TalosClient(new TalosEndpoint(server.uri(), "AK1", "s")).once(), topic, Compression.NONE));
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
            batches.add(partition, OutgoingMessage.of("m" + i));
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
        batches.add(0, OutgoingMessage.of(new byte[700_000]));
        batches.add(0, OutgoingMessage.of(new byte[700_000]));
        batches.flush();

        assertThat(sent()).containsExactly(1, 1);
    }

    @Test
    void failureOfTheFirstPutIsNotWrapped() throws Exception {
        server.then(error(ErrorCode.THROTTLE_REJECT_ERROR, "too many"));
        add(0, 1);

        assertThatThrownBy(batches::flush).isInstanceOf(TalosClientException.class);
    }

    @Test
    void failureSaysHowManyWerePutBefore() throws Exception {
        taken(1);
        server.then(error(ErrorCode.THROTTLE_REJECT_ERROR, "too many"));
        add(0, 2);
        add(1, 3);

        assertThatThrownBy(batches::flush)
                .isInstanceOfSatisfying(
                        CommandException.class, e -> assertThat(e.exitCode()).isEqualTo(1))
                .hasMessageEndingWith("(2 messages were put; no more)");
    }

    @Test
    void failureOfUnknownOutcomeSaysHowManyMayHaveBeenPut() throws Exception {
        taken(1);
        server.then(error(ErrorCode.HDFS_OPERATION_FAILED, "storage"));
        add(0, 2);
        add(1, 3);

        assertThatThrownBy(batches::flush)
                .isInstanceOfSatisfying(
                        CommandException.class, e -> assertThat(e.exitCode()).isEqualTo(4))
                .hasMessageEndingWith("(2 messages were put; the next 3 may have been put)");
    }
}
