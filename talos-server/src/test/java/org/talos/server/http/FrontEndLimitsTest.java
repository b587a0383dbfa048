// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.config.HttpLimits;
import org.talos.server.service.call.ServiceAnswer;

/** What one client may take of the front end, by time, by address, and by HTTP/2's frames. */
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
        return new HttpLimits(head, connections, 10_000, failedKeys, 128, 100, 100, 1_000);
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
    void connectionBetweenRequestsAndCallThatTakesLongHaveNoDeadlineOfTheHead() throws Exception {
        start(limits(Duration.ofMillis(100), 100, 100));
        fixture.services = request -> new CompletableFuture<ServiceAnswer>()
                .completeOnTimeout(fixture.answer("late"), 600, TimeUnit.MILLISECONDS);
        try (RawConnection between = fixture.connect();
                RawConnection other = fixture.connect()) {
            assertThat(between.send(fixture.put("a").bytes()).reply().text()).isEqualTo("late");
            assertThat(other.send(fixture.put("a").bytes()).reply().text()).isEqualTo("late");

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
            await().until(() -> fixture.budget.used() == HttpExchange.REQUEST_BYTES);

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
        start(new HttpLimits(Duration.ofSeconds(10), 1_000, 10, 100, 128, 100, 100, 1_000));
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

    /** Whether the server ends the connection while it is open on this side. */
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
