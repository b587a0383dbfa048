// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.config.HttpLimits;
import org.talos.server.config.TlsConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.service.call.ServiceAnswer;
import org.talos.server.testing.OwnCertificate;

/** Tests the bounds of one client at the front end, by time, by address, and by HTTP/2's frames. */
@Timeout(60)
final class FrontEndLimitsTest {
    private static final int PING = 6;
    private static final int SETTINGS = 4;
    private static final int RST_STREAM = 3;
    private static final int CONTINUATION = 9;

    @TempDir
    private Path directory;

    private FrontEndFixture fixture;

    @BeforeEach
    void start() throws Exception {
        fixture = new FrontEndFixture(directory);
    }

    private void start(HttpLimits limits) throws Exception {
        fixture.close();
        fixture = new FrontEndFixture(directory.resolve("again"), FrontEndFixture.withLimits(limits));
    }

    private static HttpLimits limits(Duration head, int connections, int failedKeys) {
        return TestConfig.of(HttpLimits.class)
                .with("headTimeout", head)
                .with("connectionsPerAddress", connections)
                .with("acceptsPerSecond", 10_000)
                .with("failedKeysPerMinute", failedKeys)
                .with("streams", 100)
                .with("streamsPerUser", 100)
                .with("waitingPerUser", 1_000)
                .create();
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    @Test
    void headThatComesByteByByteEndsTheConnection() throws Exception {
        start(limits(Duration.ofMillis(300), 100, 100));
        try (RawConnection connection = fixture.connect()) {
            connection.send("POST /v1/api/message HTTP/1.1\r\nHost: a\r\nX-Slow: ");

            await().pollInterval(Duration.ofMillis(20)).until(() -> refusesByte(connection));
        }
    }

    private static boolean refusesByte(RawConnection connection) {
        try {
            connection.send("x");
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void connectionWithoutAWholeRequestEnds() throws Exception {
        start(limits(Duration.ofMillis(300), 100, 100));
        byte[] half = preface().toByteArray();
        try (RawConnection silent = fixture.connect();
                RawConnection head = fixture.connect();
                RawConnection http2 = fixture.connect();
                RawConnection halfPreface = fixture.connect()) {
            head.send("POST /v1/api/message HTTP/1.1\r\nHost: a\r\nX-Slow: ");
            http2.send(half).send(halfHead(1));
            halfPreface.send(Arrays.copyOf(half, 20));

            assertThat(silent.atEnd()).isTrue();
            head.readToEnd();
            http2.readToEnd();
            halfPreface.readToEnd();
        }
        assertThat(status()).isEqualTo(200);
    }

    @Test
    void tlsConnectionWithoutAWholeRequestEnds() throws Exception {
        fixture.close();
        OwnCertificate certificate = OwnCertificate.in(directory);
        fixture = new FrontEndFixture(
                directory.resolve("again"),
                FrontEndFixture.withTls(
                        new TlsConfig(certificate.keyStore().toString(), OwnCertificate.PASSWORD),
                        limits(Duration.ofMillis(300), 100, 100)));
        try (RawConnection silent = fixture.connect();
                RawConnection record = fixture.connect();
                Socket open = certificate.trusted().getSocketFactory().createSocket("127.0.0.1", fixture.port())) {
            record.send(new byte[] {0x16, 3, 1, 0x40, 0, 1, 0, 0, 0x20});
            open.getOutputStream().write('P'); // the handshake, and the first byte of a head

            silent.readToEnd();
            record.readToEnd();
            assertThat(open.getInputStream().read()).isEqualTo(-1);
        }
    }

    private static byte[] halfHead(int stream) {
        return Arrays.copyOf(frame(1, stream, new byte[8 << 10], 5), 4 << 10);
    }

    @Test
    void laterHeadThatTricklesOverHttp2EndsTheConnectionAndPingsDoNot() throws Exception {
        start(limits(Duration.ofMillis(400), 100, 100));
        byte[] get = {(byte) 0x82, (byte) 0x86, (byte) 0x84, 0x41, 1, 'a'};
        try (RawConnection pinging = fixture.connect();
                RawConnection trickling = fixture.connect()) {
            for (RawConnection each : List.of(pinging, trickling)) {
                each.send(preface().toByteArray()).send(frame(1, 1, get, 5)); // END_STREAM, END_HEADERS
            }
            trickling.send(halfHead(3));
            await().pollInterval(Duration.ofMillis(20)).until(() -> {
                pinging.send(frame(PING, 0, new byte[8], 1)); // an answer to none: nothing comes back
                return refusesByte(trickling);
            });

            assertThat(refusesByte(pinging)).isFalse();
        }
    }

    @Test
    void headWithTooManyFieldsIsRefusedWhileItComes() throws Exception {
        start(limits(Duration.ofSeconds(10), 100, 100));
        try (RawConnection connection = fixture.connect()) {
            connection.send("POST /v1/api/message HTTP/1.1\r\nHost: a\r\n" + "a:b\r\n".repeat(129));

            assertThat(connection.reply().status()).isEqualTo(431);
        }
        byte[] get = {(byte) 0x82, (byte) 0x86, (byte) 0x84, 0x41, 1, 'a'};
        byte[] fields = Arrays.copyOf(get, get.length + 5 * 200);
        for (int at = get.length; at < fields.length; at += 5) {
            System.arraycopy(new byte[] {0, 1, 'a', 1, 'b'}, 0, fields, at, 5);
        }
        try (RawConnection connection = fixture.connect()) {
            connection
                    .send(preface().toByteArray())
                    .send(frame(1, 1, fields, 5))
                    .readToEnd();
        }
        assertThat(status()).isEqualTo(200);
    }

    @Test
    void connectionBetweenRequestsAndCallThatTakesLongHaveNoDeadlineOfTheHead() throws Exception {
        start(limits(Duration.ofMillis(500), 100, 100));
        fixture.services = request -> new CompletableFuture<ServiceAnswer>()
                .completeOnTimeout(fixture.answer("late"), 1_500, TimeUnit.MILLISECONDS);
        try (RawConnection between = fixture.connect();
                RawConnection other = fixture.connect()) {
            between.send(fixture.put("a").bytes());
            other.send(fixture.put("a").bytes());
            assertThat(between.reply().text()).isEqualTo("late");
            assertThat(other.reply().text()).isEqualTo("late");

            assertThat(between.send(fixture.put("b").bytes()).reply().text()).isEqualTo("late");
        }
    }

    @Test
    void addressWithTooManyConnectionsGetsNoMoreUntilOneEnds() throws Exception {
        start(limits(Duration.ofSeconds(10), 2, 100));
        RawConnection first = fixture.connect();
        try (RawConnection second = fixture.connect()) {
            assertThat(first.send(fixture.put("a").bytes()).reply().status()).isEqualTo(200);
            assertThat(second.send(fixture.put("a").bytes()).reply().status()).isEqualTo(200);
            assertThatThrownBy(this::status).isInstanceOf(IOException.class);

            first.close();

            await().ignoreExceptions().until(() -> status() == 200);
        }
    }

    private int status() throws Exception {
        try (RawConnection connection = fixture.connect()) {
            return connection.send(fixture.put("a").bytes()).reply().status();
        }
    }

    @Test
    void wrongKeysBeyondTheRateGet429AndTheGoodKeyOfTheSameAddressIsServed() throws Exception {
        start(limits(Duration.ofSeconds(10), 100, 3));
        SignedCall wrong = fixture.put("a").with("Authorization", "Galaxy-V3 nobody:AAAA");
        for (int i = 0; i < 3; i++) {
            try (RawConnection connection = fixture.connect()) {
                assertThat(connection.send(wrong.bytes()).reply().status()).isEqualTo(401);
            }
        }

        try (RawConnection connection = fixture.connect()) {
            RawConnection.Reply reply = connection.send(wrong.bytes()).reply();
            assertThat(reply.status()).isEqualTo(429);
            assertThat(reply.header("Retry-After")).isEqualTo("20");
            assertThat(reply.headers()).doesNotContainKey("www-authenticate");
            assertThat(connection.atEnd()).isTrue();
        }
        assertThat(fixture.calls).isEmpty();
        assertThat(status()).isEqualTo(200);
    }

    @Test
    void answerToAGuessBeyondTheRateWaitsAndNothingElseDoes() throws Exception {
        start(limits(Duration.ofSeconds(10), 100, 1));
        SignedCall wrong = fixture.put("a").with("Authorization", "Galaxy-V3 nobody:AAAA");
        long begin = System.nanoTime();
        try (RawConnection connection = fixture.connect();
                RawConnection other = fixture.connect()) {
            assertThat(connection.send(wrong.bytes()).reply().status()).isEqualTo(401);
            other.send(wrong.bytes());
            assertThat(status()).isEqualTo(200);
            assertThat(other.reply().status()).isEqualTo(429);
        }

        assertThat(System.nanoTime() - begin).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(900));
    }

    @Test
    void callThatWasChangedOnItsWayIsNoGuess() throws Exception {
        start(limits(Duration.ofSeconds(10), 100, 1));
        SignedCall signed = fixture.put("a");
        SignedCall otherBody = new SignedCall(signed.path(), signed.headers(), new byte[] {'b'});
        SignedCall otherQuery = signed.with("X-Xiaomi-Request-Digest", "v1:00").signed(fixture.ada);
        SignedCall timeless = signed.without("X-Xiaomi-Timestamp").signed(fixture.ada);
        for (int i = 0; i < 3; i++) {
            for (SignedCall call : List.of(otherBody, otherQuery, timeless)) {
                try (RawConnection connection = fixture.connect()) {
                    assertThat(connection.send(call.bytes()).reply().status()).isEqualTo(401);
                }
            }
        }
        assertThat(fixture.calls).isEmpty();
    }

    @Test
    void requestsWithoutCredentialsAreNoGuesses() throws Exception {
        start(limits(Duration.ofSeconds(10), 100, 1));
        for (int i = 0; i < 5; i++) {
            try (RawConnection connection = fixture.connect()) {
                SignedCall anonymous = fixture.put("a").without("Authorization");
                assertThat(connection.send(anonymous.bytes()).reply().status()).isEqualTo(401);
            }
        }

        assertThat(status()).isEqualTo(200);
    }

    @Test
    void floodOfPingsEndsTheConnectionAndNoOther() throws Exception {
        flood(frame(PING, 0, new byte[8]));
    }

    @Test
    void floodOfSettingsEndsTheConnectionAndNoOther() throws Exception {
        flood(frame(SETTINGS, 0, new byte[0]));
    }

    @Test
    void floodOfRequestsThatAreResetAtOnceEndsTheConnectionAndNoOther() throws Exception {
        start(limits(Duration.ofSeconds(10), 100, 100));
        byte[] get = {(byte) 0x82, (byte) 0x86, (byte) 0x84, 0x41, 1, 'a'}; // GET http / at a, by HPACK's static table
        ByteArrayOutputStream frames = preface();
        for (int stream = 1; stream < 4_000; stream += 2) {
            frames.write(frame(1, stream, get, 5)); // END_STREAM, END_HEADERS
            frames.write(frame(RST_STREAM, stream, new byte[] {0, 0, 0, 8}));
        }
        assertEnded(frames.toByteArray());
    }

    @Test
    void resetsCountForTheirAddressWhateverTheConnectionUntilItIsRefused() throws Exception {
        fixture.close();
        fixture = new FrontEndFixture(
                directory.resolve("again"), // one event of a connection a second, and eight of an address
                FrontEndFixture.withLimits(TestConfig.of(HttpLimits.class)
                        .with("connectionsPerAddress", 100)
                        .with("acceptsPerSecond", 10_000)
                        .with("failedKeysPerMinute", 100)
                        .with("http2EventsPerSecond", 1)
                        .with("streams", 100)
                        .with("streamsPerUser", 100)
                        .with("waitingPerUser", 1_000)
                        .create()));
        assertThat(status()).isEqualTo(200);

        await().atMost(Duration.ofSeconds(40))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> {
                    reset();
                    return isRefused();
                });
    }

    /** Begins requests over HTTP/2 and resets them, until the connection ends. */
    private void reset() throws Exception {
        byte[] get = {(byte) 0x82, (byte) 0x86, (byte) 0x84, 0x41, 1, 'a'};
        ByteArrayOutputStream frames = preface();
        for (int stream = 1; stream < 20; stream += 2) {
            frames.write(frame(1, stream, get, 5));
            frames.write(frame(RST_STREAM, stream, new byte[] {0, 0, 0, 8}));
        }
        try (RawConnection connection = fixture.connect()) {
            assertThat(ends(connection, frames.toByteArray())).isTrue();
        }
    }

    private boolean isRefused() throws Exception {
        try {
            return status() != 200;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void headThatGoesOnInFramesWithoutEndEndsTheConnectionAndNoOther() throws Exception {
        start(limits(Duration.ofSeconds(10), 100, 100));
        byte[] get = {(byte) 0x82, (byte) 0x86, (byte) 0x84, 0x41, 1, 'a'};
        ByteArrayOutputStream frames = preface();
        frames.write(frame(1, 1, get, 1)); // END_STREAM, more of the head to come
        byte[] field = new byte[102];
        field[0] = 0x00; // a literal field of one letter
        field[1] = 1;
        field[2] = 'x';
        field[3] = 98;
        Arrays.fill(field, 4, field.length, (byte) 'v');
        for (int i = 0; i < 4_000; i++) {
            frames.write(frame(CONTINUATION, 1, field, 0));
        }
        assertEnded(frames.toByteArray());
    }

    @Test
    void refusedBodyThatTricklesCountsAndIsNotWaitedFor() throws Exception {
        fixture.close();
        fixture = new FrontEndFixture(
                directory.resolve("again"), FrontEndFixture.withBounds(Duration.ofSeconds(20), 10_000, 100));
        SignedCall encoded = SignedCall.likeGo(fixture.ada, FrontEndFixture.MESSAGE, new byte[50_000])
                .with("Content-Encoding", "x");
        try (RawConnection connection = fixture.connect()) {
            connection.send(encoded.head());
            await().until(() -> fixture.budget.used() == RequestSender.REQUEST_BYTES);

            await().pollInterval(Duration.ofMillis(100)).until(() -> refusesByte(connection));
        }
        await().until(() -> fixture.budget.used() == 0);
    }

    @Test
    void refusalForWantOfMemoryReadsTheBodyThatComesApartAndTheConnectionGoesOn() throws Exception {
        SignedCall call = SignedCall.likeGo(fixture.ada, FrontEndFixture.MESSAGE, new byte[50_000]);
        fixture.budget.of("others").take(FrontEndFixture.MEMORY_BYTES);
        try (RawConnection connection = fixture.connect()) {
            for (int i = 0; i < 2; i++) {
                connection.send(call.head());
                connection.timeout(Duration.ofMillis(300)); // the head is looked at without the body
                assertThatThrownBy(connection::reply).isInstanceOf(SocketTimeoutException.class);
                connection.timeout(Duration.ofSeconds(20));
                RawConnection.Reply refusal = connection.send(call.body()).reply();
                assertThat(refusal.status()).isEqualTo(503);
                assertThat(refusal.header("Connection")).isEmpty();
            }
            fixture.budget.of("others").release(FrontEndFixture.MEMORY_BYTES);

            assertThat(connection.send(fixture.put("a").bytes()).reply().status())
                    .isEqualTo(200);
        }
        assertThat(fixture.calls).hasSize(1);
    }

    @Test
    void connectionsBeyondTheRateWaitAndAreServed() throws Exception {
        start(TestConfig.of(HttpLimits.class)
                .with("connectionsPerAddress", 1_000)
                .with("acceptsPerSecond", 10)
                .with("failedKeysPerMinute", 100)
                .with("streams", 100)
                .with("streamsPerUser", 100)
                .with("waitingPerUser", 1_000)
                .create());
        long begin = System.nanoTime();
        for (int i = 0; i < 35; i++) {
            assertThat(status()).isEqualTo(200);
        }

        assertThat(System.nanoTime() - begin).isGreaterThan(TimeUnit.SECONDS.toNanos(1));
    }

    private void flood(byte[] frame) throws Exception {
        start(limits(Duration.ofSeconds(10), 100, 100));
        ByteArrayOutputStream frames = preface();
        for (int i = 0; i < 2_000; i++) {
            frames.write(frame);
        }
        assertEnded(frames.toByteArray());
    }

    private void assertEnded(byte[] frames) throws Exception {
        try (RawConnection connection = fixture.connect()) {
            await().until(() -> ends(connection, frames));
        }
        assertThat(status()).isEqualTo(200);
    }

    /** Returns whether the server ends the connection while it is open on this side. */
    private static boolean ends(RawConnection connection, byte[] frames) {
        try {
            connection.send(frames);
            connection.timeout(Duration.ofSeconds(5));
            connection.readToEnd();
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private static ByteArrayOutputStream preface() throws IOException {
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        frames.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(ISO_8859_1));
        frames.write(frame(SETTINGS, 0, new byte[0]));
        return frames;
    }

    private static byte[] frame(int type, int stream, byte[] payload) {
        return frame(type, stream, payload, 0);
    }

    private static byte[] frame(int type, int stream, byte[] payload, int flags) {
        return ByteBuffer.allocate(9 + payload.length)
                .put((byte) 0)
                .putShort((short) payload.length)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }
}
