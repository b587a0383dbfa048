// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.client.transport.socket.Dialer;
import org.talos.client.transport.socket.LastingFault;
import org.talos.client.transport.socket.LentBuffers;
import org.talos.client.transport.socket.Wires;
import org.talos.common.auth.Credential;
import org.talos.thrift.DeleteTopicRequest;
import org.talos.thrift.TopicTalosResourceName;

/** Behavior of servers with TLS that plain HTTP does not have. */
@Timeout(60)
class TlsConnectionsTest {
    private static final OwnKey KEY = OwnKey.make("san=ip:127.0.0.1");
    private static final int MOST_LEFT_EARLY = 5;
    private static final String EMPTY = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    private static final String LAST = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

    private final Queue<Runnable> later = new ConcurrentLinkedQueue<>();
    private final List<HttpPool> pools = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        pools.forEach(HttpPool::close);
        threads.shutdownNow();
    }

    private HttpPool trusting(SSLContext tls) {
        HttpPool http = new HttpPool(
                Duration.ofSeconds(5),
                (time, task) -> {
                    later.add(task);
                    return new CompletableFuture<>();
                },
                new Wires(new Dialer(threads), Optional.of(tls)),
                20 << 20,
                new LentBuffers());
        pools.add(http);
        return http;
    }

    private static HttpAnswer post(HttpPool http, URI server) throws IOException, CallFailure {
        return post(http, server, new byte[] {'x'});
    }

    private static HttpAnswer post(HttpPool http, URI server, byte[] body) throws IOException, CallFailure {
        return http.post(new HttpCall(
                server, "/path", Map.of(), new RequestBody(List.of(ByteBuffer.wrap(body))), Duration.ofSeconds(10)));
    }

    private static RawServer speaking(String protocol, RawServer.Peer peer) throws IOException {
        return new RawServer(KEY.ofServer(), wire -> {
            ((SSLSocket) wire.socket()).setEnabledProtocols(new String[] {protocol});
            peer.with(wire);
        });
    }

    private void assertNotTrusted(OwnKey key, SSLContext tls) throws Exception {
        Object end = endOfRefused(key, tls);
        for (int again = 0; end instanceof SocketException && again < MOST_LEFT_EARLY; again++) {
            end = endOfRefused(key, tls); // the client left while the server still wrote: it does not read the reason
        }
        assertThat(end).as("the reason reaches the server").isInstanceOf(SSLException.class);
    }

    /** Returns how a server's connection ended whose certificate the client has refused. */
    private Object endOfRefused(OwnKey key, SSLContext tls) throws Exception {
        try (RawServer server =
                new RawServer(key.ofServer(), wire -> assertThat(wire.request()).isFalse())) {
            assertThatThrownBy(() -> post(trusting(tls), server.uri()))
                    .isInstanceOf(UnsentException.class)
                    .satisfies(e -> assertThat(LastingFault.of(server.uri(), e, false))
                            .hasValueSatisfying(text -> assertThat(text).contains("is not trusted: ")));
            return server.end();
        }
    }

    @Test
    void certificateOfAnotherNameIsNotTrusted() throws Exception {
        OwnKey other = OwnKey.make("san=dns:other.test,ip:127.0.0.2");

        assertNotTrusted(other, other.trusting());
    }

    @Test
    void certificateThatNobodyVouchesForIsNotTrusted() throws Exception {
        OwnKey ofAnotherAuthority = OwnKey.make("san=ip:127.0.0.1", "-validity", "30");

        assertNotTrusted(KEY, ofAnotherAuthority.trusting());
    }

    @Test
    void certificateThatHasEndedIsNotTrusted() throws Exception {
        OwnKey ended = OwnKey.make("san=ip:127.0.0.1", "-startdate", "-10d", "-validity", "5");

        assertNotTrusted(ended, ended.trusting());
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void bothVersionsOfTlsAreSpoken(String protocol) throws Exception {
        byte[] body = new byte[1 << 20];
        new Random(1).nextBytes(body);
        HttpPool http = trusting(KEY.trusting());
        try (RawServer server = speaking(protocol, wire -> {
            while (wire.request()) {
                assertThat(((SSLSocket) wire.socket()).getSession().getProtocol())
                        .isEqualTo(protocol);
                wire.write("HTTP/1.1 200 OK\r\nContent-Length: " + body.length + "\r\n\r\n")
                        .write(wire.body());
            }
        })) {
            for (int i = 0; i < 3; i++) {
                assertThat(post(http, server.uri(), body).body()).isEqualTo(body);
            }
            assertThat(server.accepted()).isEqualTo(1);
        }
    }

    /** Trusts all, and counts how often it was asked. Thread-safe. */
    private static final class Counting implements X509TrustManager {
        private final AtomicInteger asked = new AtomicInteger();

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            throw new CertificateException("no clients are expected");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {
            asked.incrementAndGet();
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void sessionIsResumedByTheNextConnection(String protocol) throws Exception {
        Counting trust = new Counting();
        HttpPool http = trusting(OwnKey.trusting(trust));
        try (RawServer server = speaking(protocol, wire -> {
            wire.request();
            wire.write(LAST);
        })) {
            for (int i = 0; i < 3; i++) {
                post(http, server.uri());
            }

            assertThat(server.accepted()).isEqualTo(3);
            assertThat(trust.asked).hasValue(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void recordsMayComeByteByByte(String protocol) throws Exception {
        byte[] body = new byte[40_000];
        new Random(2).nextBytes(body);
        HttpPool http = trusting(KEY.trusting());
        try (RawServer server = speaking(protocol, wire -> {
                    while (wire.request()) {
                        wire.write("HTTP/1.1 200 OK\r\nContent-Length: " + body.length + "\r\n\r\n")
                                .write(body);
                    }
                });
                Relay relay = new Relay(server.uri(), Relay.Form.BYTE_BY_BYTE)) {
            for (int i = 0; i < 2; i++) {
                assertThat(Arrays.equals(post(http, relay.uri()).body(), body)).isTrue();
            }
            assertThat(server.accepted()).isEqualTo(1);
        }
    }

    @Test
    void answerThatIsCutIsNoneThoughNothingSaysHowLongItIs() throws Exception {
        HttpPool http = trusting(KEY.trusting());
        try (RawServer server = speaking("TLSv1.2", wire -> {
                    wire.request();
                    wire.write("HTTP/1.0 200 OK\r\n\r\nhalf of an answer");
                });
                Relay relay = new Relay(server.uri(), Relay.Form.AS_THEY_ARE);
                Relay cutting = new Relay(server.uri(), Relay.Form.WITHOUT_ALERTS)) {
            assertThat(new String(post(http, relay.uri()).body(), ISO_8859_1)).isEqualTo("half of an answer");

            assertThatThrownBy(() -> post(http, cutting.uri())).isInstanceOf(EOFException.class);
        }
    }

    /** The server may continue reading: TLS 1.3 closes each direction by itself. */
    @Test
    void connectionOnWhichTheServerHasSaidGoodbyeIsNotUsedAgain() throws Exception {
        CountDownLatch said = new CountDownLatch(1);
        HttpPool http = trusting(KEY.trusting());
        try (RawServer server = speaking("TLSv1.3", wire -> {
            wire.request();
            wire.write(EMPTY);
            wire.socket().shutdownOutput();
            said.countDown();
            assertThat(wire.read()).isEqualTo(-1);
        })) {
            post(http, server.uri());
            said.await();

            post(http, server.uri());

            assertThat(server.accepted()).isEqualTo(2);
        }
    }

    /** In TLS 1.3 the server renews the keys; in TLS 1.2 it asks for another handshake. */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void keysMayBeRenewedInTheMiddleOfAnAnswer(String protocol) throws Exception {
        HttpPool http = trusting(KEY.trusting());
        byte[] half = new byte[100_000];
        new Random(3).nextBytes(half);
        try (RawServer server = speaking(protocol, wire -> {
            while (wire.request()) {
                wire.write("HTTP/1.1 200 OK\r\nContent-Length: " + 2 * half.length + "\r\n\r\n")
                        .write(half);
                ((SSLSocket) wire.socket()).startHandshake();
                wire.write(half);
            }
        })) {
            for (int i = 0; i < 5; i++) {
                byte[] body = post(http, server.uri()).body();

                assertThat(Arrays.equals(body, 0, half.length, half, 0, half.length))
                        .isTrue();
                assertThat(Arrays.equals(body, half.length, body.length, half, 0, half.length))
                        .isTrue();
            }
        }
    }

    @Test
    void keysThatAreRenewedBetweenTwoCallsKeepTheConnection() throws Exception {
        HttpPool http = trusting(KEY.trusting());
        CountDownLatch renewed = new CountDownLatch(1);
        try (RawServer server = speaking("TLSv1.3", wire -> {
            wire.request();
            wire.write(EMPTY);
            ((SSLSocket) wire.socket()).startHandshake();
            renewed.countDown();
            wire.answerAll(EMPTY);
        })) {
            post(http, server.uri());
            renewed.await();

            post(http, server.uri());

            assertThat(server.accepted()).isEqualTo(1);
        }
    }

    @Test
    void serverIsToldOfTheEndOfAnIdleConnection() throws Exception {
        HttpPool http = trusting(KEY.trusting());
        try (RawServer server = speaking("TLSv1.2", wire -> wire.answerAll(EMPTY));
                Relay relay = new Relay(server.uri(), Relay.Form.AS_THEY_ARE)) {
            post(http, relay.uri());
            assertThat(relay.hasSeenAnAlert()).isFalse();

            http.close();

            assertThat(server.end()).isEqualTo("ended");
            assertThat(relay.hasSeenAnAlert()).isTrue();
        }
    }

    private static URI secured(RawServer plain) {
        return URI.create("https://127.0.0.1:" + plain.uri().getPort());
    }

    @Test
    void interruptEndsAHandshakeThatStalls() throws Exception {
        HttpPool http = trusting(KEY.trusting());
        CountDownLatch stalled = new CountDownLatch(1);
        try (RawServer server = new RawServer(wire -> {
            wire.read();
            stalled.countDown();
            wire.drain();
        })) {
            CompletableFuture<Throwable> failure = new CompletableFuture<>();
            FutureTask<HttpAnswer> call = new FutureTask<>(() -> {
                try {
                    return post(http, secured(server));
                } catch (IOException e) {
                    failure.complete(e);
                    throw e;
                }
            });
            threads.execute(call);
            stalled.await();

            call.cancel(true);

            assertThat(server.end()).isEqualTo("ended");
            assertThat(failure.get(10, TimeUnit.SECONDS)).isInstanceOf(ClosedByInterruptException.class);
        }
    }

    @Test
    void handshakeThatStallsEndsInTimeAndNothingIsSent() throws Exception {
        HttpPool http = trusting(KEY.trusting());
        CountDownLatch stalled = new CountDownLatch(1);
        try (RawServer server = new RawServer(wire -> {
            wire.read();
            stalled.countDown();
            wire.drain();
        })) {
            Future<HttpAnswer> call = threads.submit(() -> post(http, secured(server)));
            stalled.await();

            later.remove().run();

            assertThatThrownBy(() -> call.get(10, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(ConnectException.class)
                    .hasMessageContaining("no TLS within PT10S");
            assertThat(server.end()).isEqualTo("ended");
        }
    }

    @Test
    void serverThatLeavesInTheHandshakeHasGotNothing() throws Exception {
        try (RawServer server = new RawServer(RawServer.Wire::read)) {
            assertThatThrownBy(() -> post(trusting(KEY.trusting()), secured(server)))
                    .isInstanceOf(UnsentException.class);
        }
    }

    @Test
    void serverThatSpeaksNoTlsIsToldApart() throws Exception {
        try (RawServer server = new RawServer(wire -> {
            wire.read();
            wire.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n").drain();
        })) {
            assertThatThrownBy(() -> post(trusting(KEY.trusting()), secured(server)))
                    .isInstanceOf(UnsentException.class)
                    .satisfies(e -> assertThat(LastingFault.of(secured(server), e, false))
                            .hasValueSatisfying(text -> assertThat(text).contains("does not speak TLS")));
        }
    }

    @Test
    void answerThatStallsEndsInTimeWithItsConnection() throws Exception {
        SignedCalls calls = new SignedCalls(
                new Credential("AKTEST0000000000TEST", "a-secret"),
                InstantSource.system(),
                Optional.of(KEY.trusting()));
        try (RawServer server = speaking("TLSv1.3", wire -> {
            wire.request();
            wire.write("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nabc");
            assertThat(wire.awaitClose()).isTrue();
        })) {
            var request = new DeleteTopicRequest(new TopicTalosResourceName("me#orders#1"));
            var call = calls.call(server.uri(), Service.TOPIC, "deleteTopic", request, null, Duration.ofMillis(1_500));

            assertThatThrownBy(() -> call.get(10, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOfSatisfying(CallFailure.class, e -> {
                        assertThat(e.isConnection()).isTrue();
                        assertThat(e.surelyNotDone()).isFalse();
                    });
            assertThat(server.end()).isEqualTo("ended");
        } finally {
            calls.close();
        }
    }
}
