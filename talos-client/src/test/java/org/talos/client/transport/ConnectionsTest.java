// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.client.ScriptedServer.done;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.client.Nobody;
import org.talos.client.ScriptedServer;
import org.talos.common.auth.Credential;
import org.talos.thrift.DeleteTopicRequest;
import org.talos.thrift.TopicTalosResourceName;

/** Which connections calls have, and what becomes of those. */
@Timeout(30)
@Isolated // the proxy is the whole JVM's
class ConnectionsTest {
    private static final OwnKey KEY = OwnKey.make("san=ip:127.0.0.1,dns:talos.invalid");
    private static final String NOT_FOUND = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";

    private final @Nullable ProxySelector before = ProxySelector.getDefault();
    private final SignedCalls calls = new SignedCalls(
            new Credential("AKTEST0000000000TEST", "a-secret"), InstantSource.system(), Optional.of(KEY.trusting()));

    @AfterEach
    void stop() {
        ProxySelector.setDefault(before);
        calls.close();
    }

    private CompletableFuture<?> delete(URI server) {
        var request = new DeleteTopicRequest(new TopicTalosResourceName("me#orders#1"));
        return calls.call(server, Service.TOPIC, "deleteTopic", request, null, Duration.ofSeconds(20));
    }

    @Test
    void proxyOfTheProgramIsUsed() throws Exception {
        try (ScriptedServer proxy = new ScriptedServer()) {
            proxy.then(done());
            ProxySelector.setDefault(new OneProxy(proxy.uri()));

            delete(URI.create("http://talos.invalid:99")).get(10, TimeUnit.SECONDS);

            assertThat(proxy.asked().get(0).header("Host")).isEqualTo("talos.invalid:99");
        }
    }

    private void assertNotFound(URI server) {
        assertThatThrownBy(() -> delete(server).get(10, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        CallFailure.class, e -> assertThat(e.code()).isEqualTo("HTTP_404"));
    }

    @Test
    void proxyConnectsToServersOfTls() throws Exception {
        BlockingQueue<String> asked = new LinkedBlockingQueue<>();
        try (RawServer server = new RawServer(KEY.ofServer(), wire -> wire.answerAll(NOT_FOUND));
                Relay proxy = new Relay(server.uri(), Relay.Form.AS_THEY_ARE, (in, out) -> {
                    asked.add(Relay.head(in));
                    out.write("HTTP/1.1 200 Connected\r\nX-Proxy: 1\r\n\r\n".getBytes(ISO_8859_1));
                })) {
            ProxySelector.setDefault(new OneProxy(proxy.uri()));

            assertNotFound(URI.create("https://talos.invalid:99"));
            assertNotFound(URI.create("https://talos.invalid:99"));

            assertThat(asked).hasSize(1);
            assertThat(asked.remove()).isEqualTo("CONNECT talos.invalid:99 HTTP/1.1\r\nHost: talos.invalid:99\r\n\r\n");
        }
    }

    @Test
    void refusalOfAProxySaysThatNothingHappened() throws Exception {
        try (RawServer proxy = new RawServer(wire -> {
            wire.write("HTTP/1.1 403 Forbidden\r\n\r\n").drain();
        })) {
            ProxySelector.setDefault(new OneProxy(proxy.uri()));

            assertThatThrownBy(
                            () -> delete(URI.create("https://talos.invalid:99")).get(10, TimeUnit.SECONDS))
                    .cause()
                    .hasMessageContaining("answered HTTP/1.1 403 Forbidden")
                    .isInstanceOfSatisfying(
                            CallFailure.class,
                            e -> assertThat(e.surelyNotDone()).isTrue());
        }
    }

    @Test
    void proxyThatIsNotThereIsNamed() throws Exception {
        try (Nobody nobody = new Nobody()) {
            ProxySelector.setDefault(new OneProxy(nobody.uri()));

            assertThatThrownBy(
                            () -> delete(URI.create("http://talos.invalid:99")).get(10, TimeUnit.SECONDS))
                    .cause()
                    .hasMessageContaining("the proxy 127.0.0.1:" + nobody.uri().getPort() + " cannot be connected to")
                    .isInstanceOfSatisfying(
                            CallFailure.class,
                            e -> assertThat(e.surelyNotDone()).isTrue());
        }
    }

    /** The server's side of SOCKS 5, which asks for a name and a password. */
    private static void socks(InputStream in, OutputStream out, BlockingQueue<String> asked) throws IOException {
        byte[] methods = in.readNBytes(4);
        assertThat(methods).containsExactly(5, 2, 0, 2);
        out.write(new byte[] {5, 2});
        assertThat(in.read()).isEqualTo(1);
        asked.add(text(in));
        asked.add(text(in));
        out.write(new byte[] {1, 0});
        assertThat(in.readNBytes(4)).containsExactly(5, 1, 0, 3);
        asked.add(text(in));
        asked.add(Integer.toString(in.read() << 8 | in.read()));
        out.write(new byte[] {5, 0, 0, 1, 127, 0, 0, 1, 0, 0});
    }

    private static String text(InputStream in) throws IOException {
        return new String(in.readNBytes(in.read()), ISO_8859_1);
    }

    @Test
    void proxyOfSocksIsUsed() throws Exception {
        BlockingQueue<String> asked = new LinkedBlockingQueue<>();
        try (RawServer server = new RawServer(KEY.ofServer(), wire -> wire.answerAll(NOT_FOUND));
                Relay proxy = new Relay(server.uri(), Relay.Form.AS_THEY_ARE, (in, out) -> socks(in, out, asked))) {
            ProxySelector.setDefault(new OneProxy(Proxy.Type.SOCKS, proxy.uri()));
            System.setProperty("java.net.socks.username", "ann");
            System.setProperty("java.net.socks.password", "of-a-proxy");

            assertNotFound(URI.create("https://talos.invalid:99"));

            assertThat(asked).containsExactly("ann", "of-a-proxy", "talos.invalid", "99");
        } finally {
            System.clearProperty("java.net.socks.username");
            System.clearProperty("java.net.socks.password");
        }
    }

    @Test
    void proxyOfSocksThatAsksForCredentialsIsToldApart() throws Exception {
        try (RawServer proxy =
                new RawServer(wire -> wire.write(new byte[] {5, 2}).drain())) {
            ProxySelector.setDefault(new OneProxy(Proxy.Type.SOCKS, proxy.uri()));

            assertThatThrownBy(
                            () -> delete(URI.create("http://talos.invalid:99")).get(10, TimeUnit.SECONDS))
                    .cause()
                    .hasMessageContaining("asks for a name and a password");
        }
    }

    private static RawServer server(boolean isSecure, RawServer.Peer peer) throws IOException {
        return isSecure ? new RawServer(KEY.ofServer(), peer) : new RawServer(peer);
    }

    /** A consumer has a connection that waits for each of its partitions. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void connectionsThatWaitTakeHardlyAnyMemoryOutsideOfTheHeap(boolean isSecure) throws Exception {
        int count = 100;
        CountDownLatch asked = new CountDownLatch(count);
        try (RawServer server = server(isSecure, wire -> {
            wire.request();
            asked.countDown();
            assertThat(wire.awaitClose()).isTrue();
        })) {
            long before = bytesOutsideOfTheHeap();
            for (int i = 0; i < count; i++) {
                var unused = delete(server.uri());
            }
            asked.await();

            assertThat(bytesOutsideOfTheHeap() - before).isLessThan(4 << 20);
        }
    }

    private static long bytesOutsideOfTheHeap() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    @Test
    void closingEndsTheCallsUnderWayWithTheirConnections() throws Exception {
        int count = 5;
        CountDownLatch asked = new CountDownLatch(count);
        try (RawServer server = new RawServer(wire -> {
            wire.request();
            asked.countDown();
            assertThat(wire.read()).isEqualTo(-1);
        })) {
            List<CompletableFuture<?>> underWay = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                underWay.add(delete(server.uri()));
            }
            asked.await();

            calls.close();

            for (CompletableFuture<?> each : underWay) {
                assertThatThrownBy(() -> each.get(10, TimeUnit.SECONDS))
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(CallFailure.class);
                assertThat(server.end()).isEqualTo("ended");
            }
        }
    }
}
