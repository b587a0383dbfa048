// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.client.transport.socket.Dialer;
import org.talos.client.transport.socket.LentBuffers;
import org.talos.client.transport.socket.Wires;

/** The contract of calls over HTTP, whatever carries its bytes. */
@Timeout(60)
abstract class HttpPoolContract {
    private static final int MOST_BYTES = 20 << 20;
    private static final String EMPTY = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

    private final Queue<Runnable> later = new ConcurrentLinkedQueue<>();
    private final List<Future<?>> timers = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    final HttpPool http = new HttpPool(
            Duration.ofSeconds(5),
            this::after,
            new Wires(new Dialer(threads), trusted()),
            MOST_BYTES,
            new LentBuffers());

    /** The certificates that the client trusts. */
    abstract Optional<SSLContext> trusted();

    /** Starts a server that the client trusts. */
    abstract RawServer server(RawServer.Peer peer) throws IOException;

    @AfterEach
    void stop() {
        http.close();
        threads.shutdownNow();
    }

    private Future<?> after(Duration time, Runnable task) {
        later.add(task);
        Future<?> timer = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterrupt) {
                later.remove(task);
                return super.cancel(mayInterrupt);
            }
        };
        timers.add(timer);
        return timer;
    }

    static HttpCall call(URI server, byte[] body) {
        return new HttpCall(
                server,
                "/path?query",
                Map.of("X-One", "1"),
                new RequestBody(List.of(ByteBuffer.wrap(body))),
                Duration.ofSeconds(10));
    }

    private HttpAnswer post(RawServer server) throws IOException, CallFailure {
        return http.post(call(server.uri(), new byte[] {'x'}));
    }

    private static String text(HttpAnswer answer) {
        return new String(answer.body(), ISO_8859_1);
    }

    private RawServer answering(String answer) throws IOException {
        return server(wire -> wire.answerAll(answer));
    }

    @Test
    void requestHasItsHeadersAndItsBodyAsItIs() throws Exception {
        byte[] body = new byte[300_001]; // several buffers, the last one not full
        new Random(3).nextBytes(body);
        CompletableFuture<byte[]> got = new CompletableFuture<>();
        try (RawServer server = server(wire -> {
            StringBuilder head = new StringBuilder();
            while (head.indexOf("\r\n\r\n") < 0) {
                head.append((char) wire.read());
            }
            byte[] bytes = new byte[body.length];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) wire.read();
            }
            wire.write(EMPTY);
            got.complete(bytes);
            assertThat(head.toString())
                    .startsWith("POST /path?query HTTP/1.1\r\n")
                    .contains("Host: 127.0.0.1:", "Content-Length: 300001\r\n", "X-One: 1\r\n");
        })) {
            ByteBuffer whole = ByteBuffer.wrap(body);
            RequestBody parts = new RequestBody(List.of(whole.slice(0, 7), whole.slice(7, body.length - 7)));

            http.post(new HttpCall(server.uri(), "/path?query", Map.of("X-One", "1"), parts, Duration.ofSeconds(10)));

            assertThat(got.get(10, TimeUnit.SECONDS)).isEqualTo(body);
            assertThat(server.end()).isEqualTo("ended");
        }
    }

    @Test
    void callsOneAfterAnotherHaveOneConnection() throws Exception {
        try (RawServer server = answering("HTTP/1.1 200 OK\r\ncontent-LENGTH: 3\r\nX-A:  b \r\n\r\nabc")) {
            for (int i = 0; i < 5; i++) {
                HttpAnswer answer = post(server);
                assertThat(text(answer)).isEqualTo("abc");
                assertThat(answer.header("x-a")).contains("b");
            }

            assertThat(server.accepted()).isEqualTo(1);
        }
    }

    @Test
    void bodyWithoutALengthEndsWithTheConnection() throws Exception {
        try (RawServer server = server(wire -> {
            wire.request();
            wire.write("HTTP/1.0 400 Bad\r\n\r\nhalf ").write("and half");
        })) {
            HttpAnswer answer = post(server);

            assertThat(answer.status()).isEqualTo(400);
            assertThat(text(answer)).isEqualTo("half and half");
            assertThat(http.idle()).isZero();
        }
    }

    @Test
    void largeBodyIsReadWhole() throws Exception {
        byte[] body = new byte[17 << 20]; // more than is allocated on the word of a server
        new Random(4).nextBytes(body);
        try (RawServer server = server(wire -> {
            wire.request();
            wire.write("HTTP/1.1 200 OK\r\nContent-Length: " + body.length + "\r\n\r\n")
                    .write(body);
        })) {
            assertThat(Arrays.equals(post(server).body(), body)).isTrue();
        }
    }

    @Test
    void tenMegabytesGoBothWays() throws Exception {
        byte[] body = new byte[10 << 20];
        new Random(6).nextBytes(body);
        try (RawServer server = server(wire -> {
            while (wire.request()) {
                wire.write("HTTP/1.1 200 OK\r\nContent-Length: " + body.length + "\r\n\r\n")
                        .write(wire.body());
            }
        })) {
            for (int i = 0; i < 2; i++) {
                assertThat(Arrays.equals(http.post(call(server.uri(), body)).body(), body))
                        .isTrue();
            }
            assertThat(server.accepted()).isEqualTo(1);
        }
    }

    @Test
    void interimAnswersAreLeftOut() throws Exception {
        try (RawServer server =
                answering("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\n" + EMPTY)) {
            assertThat(post(server).status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 204 No Content\r\n\r\n",
                "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n",
                "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n",
            })
    void answersWithoutABodyKeepTheConnection(String answer) throws Exception {
        try (RawServer server = answering(answer)) {
            assertThat(post(server).body()).isEmpty();
            assertThat(http.idle()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nmore than was said",
                "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            })
    void connectionThatMayNotBeUsedAgainIsClosed(String answer) throws Exception {
        try (RawServer server = answering(answer)) {
            assertThat(post(server).body()).isEmpty();
            assertThat(http.idle()).isZero();
            assertThat(server.end()).isNotNull();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SSH-2.0-OpenSSH\r\n\r\n",
                "HTTP/2 200\r\n\r\n",
                "HTTP/1.1 2 OK\r\n\r\n",
                "HTTP/1.1 099 OK\r\n\r\n",
                "HTTP/1.1 +20 OK\r\n\r\n",
                "HTTP/1.1 101 Switching Protocols\r\n\r\n",
                "HTTP/1.1 200 OK\r\nno header\r\n\r\n",
                "HTTP/1.1 200 OK\r\nX: 1\r\n folded\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length : 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
                "HTTP/1.1 200 OK\r\nContent-Length: 9999999999999999999\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n",
            })
    void answerThatIsNoneFailsAndEndsTheConnection(String answer) throws Exception {
        try (RawServer server = answering(answer)) {
            assertThatThrownBy(() -> post(server)).isInstanceOf(ProtocolException.class);
            assertThat(http.idle()).isZero();
            assertThat(server.end()).isNotNull();
        }
    }

    @Test
    void headWithoutAnEndIsAbandoned() throws Exception {
        try (RawServer server = answering("HTTP/1.1 200 OK\r\n" + "X: 1\r\n".repeat(20_000))) {
            assertThatThrownBy(() -> post(server)).isInstanceOf(ProtocolException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HTTP/1.1 200 OK\r\nContent-Le",
                "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nninety-nine",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nninety",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
            })
    void answerThatEndsTooSoonIsNone(String part) throws Exception {
        try (RawServer server = server(wire -> {
            wire.request();
            wire.write(part);
        })) {
            assertThatThrownBy(() -> post(server)).isInstanceOf(EOFException.class);
            assertThat(server.accepted()).as("it may have been carried out").isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"Content-Length: 20971521\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n1400001\r\n", "\r\n"})
    void answerThatIsLargerThanAllowedIsRefused(String head) throws Exception {
        try (RawServer server = server(wire -> {
            wire.request();
            wire.write("HTTP/1.1 200 OK\r\n" + head);
            for (int i = 0; i <= 20; i++) {
                wire.write(new byte[1 << 20]);
            }
        })) {
            assertThatThrownBy(() -> post(server)).isInstanceOfSatisfying(CallFailure.class, e -> {
                assertThat(e.code()).isEqualTo("MALFORMED");
                assertThat(e.retriable()).isFalse();
                assertThat(e.surelyNotDone()).isFalse();
            });
            assertThat(http.idle()).isZero();
        }
    }

    @Test
    void connectionThatTheServerClosedBetweenTwoCallsIsNotUsed() throws Exception {
        try (RawServer server = server(wire -> {
            wire.request();
            wire.write(EMPTY);
        })) {
            post(server);
            assertThat(server.end()).isEqualTo("ended");

            post(server);

            assertThat(server.accepted()).isEqualTo(2);
        }
    }

    /** The server has got a part of the body at most: nothing can have happened. */
    @Test
    void requestThatAKeptConnectionDoesNotTakeWholeIsSentAgain() throws Exception {
        try (RawServer server = server(wire -> {
            wire.request();
            wire.write(EMPTY);
            if (wire.number() == 0) {
                wire.read(); // of the second request: closed with the rest unread
            } else {
                wire.request();
            }
        })) {
            post(server);

            HttpAnswer answer = http.post(call(server.uri(), new byte[MOST_BYTES]));

            assertThat(answer.status()).isEqualTo(200);
            assertThat(server.accepted()).isEqualTo(2);
        }
    }

    @Test
    void requestThatANewConnectionDoesNotTakeWholeSurelyDidNothing() throws Exception {
        try (RawServer server = server(RawServer.Wire::read)) {
            assertThatThrownBy(() -> http.post(call(server.uri(), new byte[MOST_BYTES])))
                    .isInstanceOf(UnsentException.class);
            assertThat(server.accepted()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nabc"})
    void interruptEndsACallThatStallsAndItsConnection(String part) throws Exception {
        CountDownLatch stalled = new CountDownLatch(1);
        try (RawServer server = server(wire -> {
            wire.request();
            wire.write(part);
            stalled.countDown();
            assertThat(wire.awaitClose()).isTrue();
        })) {
            CompletableFuture<Throwable> failure = new CompletableFuture<>();
            FutureTask<HttpAnswer> call = new FutureTask<>(() -> {
                try {
                    return post(server);
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
            assertThat(http.idle()).isZero();
        }
    }

    /** A write that an interrupt ends may have sent all of the request: it is not sent again. */
    @Test
    void interruptInARequestIsNoSignThatItWasNotSent() throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        try (RawServer server = server(wire -> {
            while (wire.request()) {
                both.await(10, TimeUnit.SECONDS);
                wire.write(EMPTY);
            }
        })) {
            postAtOnce(server, 2); // as many are kept
            Thread.currentThread().interrupt();

            assertThatThrownBy(() -> post(server)).isInstanceOf(ClosedByInterruptException.class);

            assertThat(Thread.interrupted()).isTrue();
            assertThat(server.end()).isEqualTo("ended");
            assertThat(http.idle()).isOne();
        }
    }

    private void postAtOnce(RawServer server, int calls) throws InterruptedException, ExecutionException {
        List<Future<HttpAnswer>> all = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            all.add(threads.submit(() -> post(server)));
        }
        for (Future<HttpAnswer> each : all) {
            assertThat(each.get().status()).isEqualTo(200);
        }
    }

    @Test
    void callsAtOnceHaveAConnectionEachAndNotAllAreKept() throws Exception {
        int calls = 80;
        CyclicBarrier all = new CyclicBarrier(calls); // no answer before all have asked
        try (RawServer server = server(wire -> {
            while (wire.request()) {
                all.await(10, TimeUnit.SECONDS);
                wire.write(EMPTY);
            }
        })) {
            postAtOnce(server, calls);

            assertThat(server.accepted()).isEqualTo(calls);
            assertThat(http.idle()).isEqualTo(64);
            assertThat(later).as("one timer for all").hasSize(1);
        }
    }

    @Test
    void idleConnectionsAreClosedWithTheSecondSweepAfterTheirUse() throws Exception {
        try (RawServer server = answering(EMPTY)) {
            post(server);
            later.remove().run();
            assertThat(http.idle()).isEqualTo(1);
            post(server); // used again: young
            later.remove().run();
            assertThat(http.idle()).isEqualTo(1);

            later.remove().run();

            assertThat(http.idle()).isZero();
            assertThat(later).as("nothing is left to sweep").isEmpty();
            assertThat(server.end()).isEqualTo("ended");
            post(server);
            assertThat(later).hasSize(1);
        }
    }

    @Test
    void closingEndsIdleConnectionsAndTheirTimer() throws Exception {
        try (RawServer server = answering(EMPTY)) {
            post(server);

            http.close();

            assertThat(server.end()).isEqualTo("ended");
            assertThat(timers).allMatch(Future::isCancelled);
        }
    }

    @Test
    void connectionOfACallThatOutlivesTheClosingIsNotKept() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch gate = new CountDownLatch(1);
        try (RawServer server = server(wire -> {
            wire.request();
            asked.countDown();
            gate.await();
            wire.write(EMPTY);
            assertThat(wire.read()).isEqualTo(-1);
        })) {
            Future<HttpAnswer> call = threads.submit(() -> post(server));
            asked.await();
            http.close();
            gate.countDown();

            assertThat(call.get().status()).isEqualTo(200);
            assertThat(http.idle()).isZero();
            assertThat(server.end()).isEqualTo("ended");
        }
    }
}
