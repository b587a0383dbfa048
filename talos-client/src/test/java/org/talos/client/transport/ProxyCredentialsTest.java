// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.client.ScriptedServer.result;

import java.io.InputStream;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.client.ClientConfig;
import org.talos.client.FatalException;
import org.talos.client.ScriptedServer;
import org.talos.client.TalosClient;
import org.talos.client.TalosClientException;
import org.talos.client.Transport;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.client.producer.Compression;
import org.talos.client.producer.OutgoingMessage;
import org.talos.client.producer.SimpleProducer;
import org.talos.thrift.ListTopicsInfoResponse;

/** The credentials that a client sends to proxies that require them, and to no other peer. */
@Timeout(60)
@Isolated // the proxy is the whole JVM's
class ProxyCredentialsTest {
    private static final OwnKey KEY = OwnKey.make("san=ip:127.0.0.1,dns:talos.invalid");
    private static final String PASSWORD = "öf:a-proxy";
    private static final String BASIC =
            "Basic " + Base64.getEncoder().encodeToString(("ann:" + PASSWORD).getBytes(UTF_8));
    private static final String NOT_FOUND = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    private static final TopicDescription TOPIC =
            new TopicDescription("orders", "me#orders#1", "me", 4, Duration.ofDays(1));

    private final @Nullable ProxySelector before = ProxySelector.getDefault();

    @AfterEach
    void stop() {
        ProxySelector.setDefault(before);
    }

    private static ClientConfig config(String server) {
        return ClientConfig.of(URI.create(server), "AKTEST0000000000TEST", "a-secret")
                .withTls(KEY.trusting())
                .withDeadline(Duration.ofSeconds(50))
                .withoutDirectRouting();
    }

    private static void list(ClientConfig config) throws TalosClientException {
        try (TalosClient client = new TalosClient(config)) {
            var unused = new TalosAdmin(client).listTopics();
        }
    }

    private static ScriptedServer.Answer topics() {
        return result(new ListTopicsInfoResponse(List.of()));
    }

    @Test
    void proxyThatPassesOnRequestsGetsThem() throws Exception {
        try (ScriptedServer proxy = new ScriptedServer()) {
            proxy.then(topics());
            ProxySelector.setDefault(new OneProxy(proxy.uri()));

            list(config("http://talos.invalid:99").withProxyCredentials("ann", PASSWORD));

            assertThat(proxy.asked().get(0).header("Proxy-Authorization")).isEqualTo(BASIC);
            assertThat(proxy.asked().get(0).header("Authorization")).startsWith("Galaxy-V3 ");
        }
    }

    @Test
    void serverWithoutAProxyDoesNotGetThem() throws Exception {
        try (ScriptedServer server = new ScriptedServer()) {
            server.then(topics());

            list(config(server.uri().toString()).withProxyCredentials("ann", PASSWORD));

            assertThat(server.asked().get(0).headers().keySet()).noneMatch("Proxy-Authorization"::equalsIgnoreCase);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void proxyThatConnectsToAServerOfTlsGetsThemAndTheServerDoesNot(boolean streams) throws Exception {
        BlockingQueue<String> asked = new LinkedBlockingQueue<>();
        BlockingQueue<String> heads = new LinkedBlockingQueue<>();
        try (RawServer server = new RawServer(KEY.ofServer(), wire -> {
                    heads.add(Relay.head(wire.socket().getInputStream()));
                    wire.write(NOT_FOUND).drain();
                });
                Relay proxy = new Relay(server.uri(), Relay.Form.AS_THEY_ARE, (in, out) -> {
                    asked.add(Relay.head(in));
                    out.write("HTTP/1.1 200 Connected\r\n\r\n".getBytes(ISO_8859_1));
                })) {
            ProxySelector.setDefault(new OneProxy(proxy.uri()));
            ClientConfig config = config("https://talos.invalid:99")
                    .withProxyCredentials("ann", PASSWORD)
                    .withTransport(streams ? Transport.STREAM : Transport.CALLS)
                    .withDeadline(Duration.ZERO);
            try (TalosClient client = new TalosClient(config);
                    SimpleProducer producer = new SimpleProducer(client, TOPIC, Compression.NONE)) {
                assertThatThrownBy(() -> producer.put(0, List.of(OutgoingMessage.of("a"))))
                        .isInstanceOf(TalosClientException.class);
            }

            assertThat(asked.poll(10, TimeUnit.SECONDS))
                    .startsWith("CONNECT talos.invalid:99 HTTP/1.1\r\n")
                    .contains("\r\nProxy-Authorization: " + BASIC + "\r\n");
            assertThat(heads.poll(10, TimeUnit.SECONDS))
                    .contains(streams ? "/stream?" : "type=putMessage")
                    .doesNotContainIgnoringCase("Proxy-Authorization");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void tunnelThatIsRefusedForWantOfThemFailsAtOnceAndByName(boolean given) throws Exception {
        try (RawServer proxy = new RawServer(
                wire -> wire.write("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
                        .drain())) {
            ProxySelector.setDefault(new OneProxy(proxy.uri()));
            ClientConfig plain = config("https://talos.invalid:99");
            ClientConfig config = given ? plain.withProxyCredentials("ann", PASSWORD) : plain;

            assertThatThrownBy(() -> list(config))
                    .isInstanceOf(FatalException.class)
                    .hasMessageContaining("the proxy 127.0.0.1:" + proxy.uri().getPort())
                    .hasMessageContaining(
                            given
                                    ? "does not take the user and the password"
                                    : "asks for a user and a password (expected: ClientConfig.withProxyCredentials)")
                    .satisfies(ProxyCredentialsTest::assertSecret);
            assertThat(proxy.accepted()).isEqualTo(1);
        }
    }

    @Test
    void proxyOfSocksGetsThemAndIsNamedWhereItRefusesThem() throws Exception {
        BlockingQueue<String> asked = new LinkedBlockingQueue<>();
        try (RawServer proxy = new RawServer(wire -> {
            InputStream in = wire.socket().getInputStream();
            assertThat(in.readNBytes(4)).containsExactly(5, 2, 0, 2);
            wire.write(new byte[] {5, 2});
            assertThat(in.read()).isEqualTo(1);
            asked.add(new String(in.readNBytes(in.read()), UTF_8));
            asked.add(new String(in.readNBytes(in.read()), UTF_8));
            wire.write(new byte[] {1, 1}).drain();
        })) {
            ProxySelector.setDefault(new OneProxy(Proxy.Type.SOCKS, proxy.uri()));

            assertThatThrownBy(() -> list(config("http://talos.invalid:99").withProxyCredentials("ann", PASSWORD)))
                    .isInstanceOf(FatalException.class)
                    .hasMessageContaining("does not take the name and the password")
                    .satisfies(ProxyCredentialsTest::assertSecret);
            assertThat(asked).containsExactly("ann", PASSWORD);
        }
    }

    @Test
    void requestThatIsRefusedForWantOfThemFailsAtOnceAndByName() throws Exception {
        try (ScriptedServer proxy = new ScriptedServer()) {
            proxy.otherwise(ScriptedServer.status(407, Map.of(), "<html>a page of the proxy</html>"));
            ProxySelector.setDefault(new OneProxy(proxy.uri()));

            assertThatThrownBy(() -> list(config("http://talos.invalid:99").withProxyCredentials("ann", PASSWORD)))
                    .isInstanceOf(FatalException.class)
                    .hasMessageContaining("HTTP_407: the proxy asks for a user and a password, or does not take them")
                    .satisfies(ProxyCredentialsTest::assertSecret);
            assertThat(proxy.asked()).hasSize(1);
        }
    }

    private static void assertSecret(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            assertThat(each.toString()).doesNotContain(PASSWORD).doesNotContain(BASIC.substring(6));
        }
    }

    @Test
    void configurationHasThemInNoText() {
        ClientConfig config = config("http://127.0.0.1:1").withProxyCredentials("ann", PASSWORD);

        assertThat(config.toString()).doesNotContain(PASSWORD);
        assertThat(config.withTimeout(Duration.ofSeconds(1))
                        .withDeadline(Duration.ZERO)
                        .withTransport(Transport.STREAM)
                        .proxyCredentials()
                        .orElseThrow()
                        .getUserName())
                .isEqualTo("ann");
        for (String user : List.of("a:b", "a\nb")) {
            assertThatThrownBy(() -> config.withProxyCredentials(user, PASSWORD))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("proxyCredentials");
        }
    }
}
