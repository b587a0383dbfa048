// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.talos.check.history.Entry;
import org.talos.check.history.Outcome;
import org.talos.cli.Connection;
import org.talos.client.ClientConfig;
import org.talos.client.TalosClient;
import org.talos.client.TalosEndpoint;
import org.talos.client.Transport;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.server.TalosServer;
import org.talos.server.config.load.ConfigLoader;

/** Tests the outcomes that a client of the checker records from the SDK. */
@Timeout(60)
class SdkCallerTest {
    private static final Duration PATIENT = Duration.ofSeconds(30); // also on a machine that is busy with other tests

    @TempDir
    private Path data;

    private TalosServer server() throws Exception {
        return TalosServer.start(ConfigLoader.load(Map.of(
                "TALOS_DATADIRECTORY", data.toString(),
                "TALOS_HTTP_HOST", "127.0.0.1",
                "TALOS_HTTP_PORT", "0",
                "TALOS_MANAGEMENT_PORT", "0")));
    }

    private TalosClient client(int port, Transport transport, Duration timeout) throws Exception {
        TalosEndpoint endpoint =
                Connection.fromFile(URI.create("http://127.0.0.1:" + port), data.resolve("admin.credentials"));
        return new TalosClient(ClientConfig.of(endpoint)
                .withTimeout(timeout)
                .withDeadline(Duration.ZERO)
                .withTransport(transport)
                .withoutDirectRouting());
    }

    private static List<Transport> transports() {
        return List.of(Transport.CALLS, Transport.STREAM);
    }

    @ParameterizedTest
    @MethodSource("transports")
    void whatIsPutIsReadAtItsOffset(Transport transport) throws Exception {
        try (TalosServer server = server();
                TalosClient client = client(server.port(), transport, PATIENT)) {
            TopicDescription topic = new TalosAdmin(client).createTopic(NewTopic.of("t", 1));
            SdkCaller caller = new SdkCaller("sdk", client, topic, "t/");
            Caller.Put put = caller.prepare(0, List.of("a", "b"));

            assertThat(put.send()).isEqualTo(Answer.ok(List.of(Entry.of("t/0", "a"), Entry.of("t/0", "b"))));
            assertThat(put.send().outcome()).isEqualTo(Outcome.OK);
            assertThat(caller.read(0, 0).entries()).containsExactly(new Entry("t/0", 0, "a"), new Entry("t/0", 1, "b"));
            caller.prepare(0, List.of("c")).send();
            assertThat(caller.read(0, 2).entries()).containsExactly(new Entry("t/0", 2, "c"));
        }
    }

    @Test
    void aTopicThatIsGoneHasTakenNothing() throws Exception {
        try (TalosServer server = server()) {
            TalosClient client = client(server.port(), Transport.CALLS, PATIENT);
            TopicDescription topic = new TalosAdmin(client).createTopic(NewTopic.of("t", 1));
            new TalosAdmin(client).deleteTopic("t");

            Answer answer = new SdkCaller("thrift", client, topic, "t/")
                    .prepare(0, List.of("a"))
                    .send();

            assertThat(answer.outcome()).isEqualTo(Outcome.FAIL);
            assertThat(answer.note()).isEqualTo("TOPIC_NOT_EXIST");
        }
    }

    @Test
    void aServerThatSaysNothingMayHaveDoneIt() throws Exception {
        TopicDescription topic;
        try (TalosServer server = server()) {
            topic = new TalosAdmin(client(server.port(), Transport.CALLS, PATIENT)).createTopic(NewTopic.of("t", 1));
        }
        try (ServerSocket silent = new ServerSocket(0)) { // connections are made, and nobody reads
            TalosClient client = client(silent.getLocalPort(), Transport.CALLS, Duration.ofSeconds(1));
            SdkCaller caller = new SdkCaller("thrift", client, topic, "t/");

            assertThat(caller.prepare(0, List.of("a")).send().outcome()).isEqualTo(Outcome.INFO);
        }
    }
}
