// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.client.ScriptedServer.result;
import static org.talos.client.ScriptedServer.status;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.thrift.GetScheduleInfoResponse;
import org.talos.thrift.ListTopicsInfoResponse;
import org.talos.thrift.PutMessageResponse;
import org.talos.thrift.TopicAndPartition;
import org.talos.thrift.TopicTalosResourceName;

/** Faults that no repetition fixes are reported at once, with their cause. */
@Timeout(60)
class LastingFaultsTest {
    private static final URI NOWHERE = URI.create("http://no-such-host.invalid:1");

    private final List<String> repeated = new CopyOnWriteArrayList<>();

    private ClientConfig config(URI... endpoints) {
        return ClientConfig.of(endpoints[0], "AKTEST", "a-secret")
                .withEndpoints(List.of(endpoints))
                .withDeadline(Duration.ofSeconds(50))
                .withListener(new ClientListener() {
                    @Override
                    public void repeating(String call, TalosClientException failure, Duration pause) {
                        repeated.add(call);
                    }
                });
    }

    @Test
    void unknownHostIsToldAtOnce() {
        try (TalosClient client = new TalosClient(config(NOWHERE))) {
            assertThatThrownBy(() -> new TalosAdmin(client).listTopics())
                    .isInstanceOfSatisfying(
                            FatalException.class, e -> assertThat(e.code()).isEqualTo("CONNECTION"))
                    .hasMessageContaining("the host of http://no-such-host.invalid:1 is unknown");
        }
        assertThat(repeated).isEmpty();
    }

    @Test
    void unknownHostKeepsNoneOfTheOtherEndpointsFromBeingAsked() throws Exception {
        try (ScriptedServer server = new ScriptedServer();
                TalosClient client = new TalosClient(config(NOWHERE, server.uri()))) {
            server.then(result(new ListTopicsInfoResponse(List.of())));

            assertThat(new TalosAdmin(client).listTopics()).isEmpty();
        }
    }

    @Test
    void unknownHostsAloneAreAskedOnceEach() {
        URI other = URI.create("http://nor-this-host.invalid:1");
        try (TalosClient client = new TalosClient(config(NOWHERE, other))) {
            assertThatThrownBy(() -> new TalosAdmin(client).listTopics()).isInstanceOf(FatalException.class);
        }
        assertThat(repeated).hasSize(1);
    }

    @Test
    void endpointIsUsedWhereThePartitionsOwnerHasAnUnknownName() throws Exception {
        TopicDescription topic = new TopicDescription("orders", "me#orders#1", "me", 1, Duration.ofDays(1));
        try (ScriptedServer server = new ScriptedServer();
                TalosClient client = new TalosClient(config(server.uri()))) {
            server.otherwise(result(new PutMessageResponse("x")));
            server.schedule(new GetScheduleInfoResponse(Map.of(
                    new TopicAndPartition("orders", new TopicTalosResourceName("me#orders#1"), 0),
                    "no-such-host.invalid:1")));
            SimpleProducer producer = new SimpleProducer(client, topic, Compression.NONE);

            while (repeated.isEmpty()) { // until the route is known
                producer.put(0, List.of(OutgoingMessage.of("a")));
            }

            producer.put(0, List.of(OutgoingMessage.of("a")));
        }
    }

    @Test
    void causeIsInTheTextWhereNobodyListens() throws Exception {
        try (Nobody nobody = new Nobody();
                TalosClient client = new TalosClient(config(nobody.uri()).withDeadline(Duration.ZERO))) {
            assertThatThrownBy(() -> new TalosAdmin(client).listTopics())
                    .isInstanceOf(RetriableException.class)
                    .hasMessageContaining("no server at " + nobody.uri() + ": Connection refused");
        }
    }

    /** A server of TLS answers what is no TLS by an alert. */
    @Test
    void callWithoutTlsToAServerOfTlsIsToldAtOnce() throws Exception {
        ExecutorService peer = Executors.newSingleThreadExecutor();
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                TalosClient client =
                        new TalosClient(config(URI.create("http://127.0.0.1:" + listening.getLocalPort())))) {
            Future<Integer> end = peer.submit(() -> {
                try (Socket socket = listening.accept()) {
                    socket.getOutputStream().write(new byte[] {0x15, 3, 3, 0, 2, 2, 70});
                    socket.shutdownOutput();
                    int read;
                    do {
                        read = socket.getInputStream().read();
                    } while (read >= 0);
                    return read;
                }
            });

            assertThatThrownBy(() -> new TalosAdmin(client).removeUser("ann"))
                    .isInstanceOf(FatalException.class)
                    .hasMessageContaining("speaks TLS (expected: https)");
            assertThat(end.get()).isEqualTo(-1);
        } finally {
            peer.shutdownNow();
        }
        assertThat(repeated).isEmpty();
    }

    @Test
    void webPageOfAnotherProgramIsNamedAndNotShown() throws Exception {
        try (ScriptedServer server = new ScriptedServer();
                TalosClient client = new TalosClient(config(server.uri()))) {
            server.then(status(404, Map.of("Content-Type", "text/html"), "<html><body>Not found</body></html>"));

            assertThatThrownBy(() -> new TalosAdmin(client).listTopics())
                    .isInstanceOf(FatalException.class)
                    .hasMessage("HTTP_404: a web page: another program, or a proxy, answers at " + server.uri());
        }
    }
}
