// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metrics.Operation;
import org.talos.server.service.call.ServiceAnswer;

/** Requests that no SDK sends, clients that go away, and bodies that do not fit. Memory is always given back. */
@Timeout(60)
final class FrontEndHostileTest {
    @TempDir
    private Path directory;

    private FrontEndFixture fixture;

    @BeforeEach
    void start() throws Exception {
        fixture = new FrontEndFixture(directory);
    }

    @AfterEach
    void stop() throws Exception {
        await().untilAsserted(() -> assertThat(fixture.budget.used()).isZero());
        fixture.close();
    }

    private static void assertRefused(RawConnection.Reply reply, int status) {
        assertThat(reply.status()).isEqualTo(status);
        assertThat(reply.header("Content-Type")).isEqualTo("text/plain; charset=utf-8");
        assertThat(reply.header("X-Xiaomi-Timestamp")).isEqualTo(Long.toString(SignedCall.NOW));
        assertThat(reply.text()).endsWith(".\n");
    }

    private static String chunked(SignedCall call) {
        return call.without("Content-Length")
                .with("Transfer-Encoding", "chunked")
                .head();
    }

    private static String chunk(int bytes) {
        return Integer.toHexString(bytes) + "\r\n" + "x".repeat(bytes) + "\r\n";
    }

    @Test
    void chunkedBodyIsReadToItsEnd() throws Exception {
        SignedCall call = fixture.put("x".repeat(9_000));
        try (RawConnection connection = fixture.connect()) {
            connection
                    .send(chunked(call))
                    .send(chunk(1))
                    .send(chunk(8_000))
                    .send(chunk(999))
                    .send("0\r\n\r\n");

            assertThat(connection.reply().status()).isEqualTo(200);
        }
        assertThat(fixture.calls.remove().body().remaining()).isEqualTo(9_000);
    }

    @Test
    void chunkedBodyTakesNoMoreMemoryThanItsBytes() throws Exception {
        int bytes = 33_000;
        Queue<Long> held = new ConcurrentLinkedQueue<>();
        fixture.services = request -> {
            held.add(fixture.budget.used());
            return CompletableFuture.completedFuture(fixture.answer("done"));
        };
        try (RawConnection connection = fixture.connect()) {
            connection.send(chunked(fixture.put("x".repeat(bytes))));
            for (int i = 0; i < bytes / 1_000; i++) {
                connection.send(chunk(1_000));
            }

            assertThat(connection.send("0\r\n\r\n").reply().status()).isEqualTo(200);
        }
        assertThat(fixture.calls.remove().body().array()).hasSize(bytes).containsOnly('x');
        assertThat(held).containsExactly((long) bytes + RequestSender.REQUEST_BYTES);
    }

    @Test
    void extensionsOfChunksAreNoPartOfTheBody() throws Exception {
        SignedCall call = fixture.put("hello");
        try (RawConnection connection = fixture.connect()) {
            String body = "5;a=b;c=\"d\"\r\nhello\r\n0;e\r\n\r\n";
            assertThat(connection.send(chunked(call) + body).reply().status()).isEqualTo(200);
        }
        assertThat(fixture.calls).hasSize(1);
    }

    @Test
    void chunkedBodyThatGrowsTooLargeIsRefusedOnItsWay() throws Exception {
        SignedCall call = fixture.put("x");
        try (RawConnection connection = fixture.connect()) {
            connection
                    .send(chunked(call))
                    .send(chunk(FrontEndFixture.MAX_BODY_BYTES))
                    .send("1\r\nx");

            assertRefused(connection.reply(), 413);
        }
        assertThat(fixture.calls).isEmpty();
    }

    @Test
    void bodyBeyondTheMemoryOfAllIsRefusedForNow() throws Exception {
        CompletableFuture<ServiceAnswer> held = new CompletableFuture<>();
        fixture.services = request -> held;
        SignedCall large = SignedCall.likeGo(fixture.ada, FrontEndFixture.MESSAGE, new byte[60 << 10]);
        try (RawConnection first = fixture.connect();
                RawConnection second = fixture.connect()) {
            first.send(large.bytes());
            await().until(() -> fixture.calls.size() == 1);

            RawConnection.Reply refused = second.send(large.bytes()).reply();
            assertRefused(refused, 503);
            assertThat(refused.header("Retry-After")).isEqualTo("1");

            held.complete(fixture.answer("done"));
            assertThat(first.reply().status()).isEqualTo(200);
        }
        assertThat(fixture.calls).hasSize(1);
    }

    @Test
    void expectedContinueComesOnlyForThoseWhoHaveSigned() throws Exception {
        SignedCall call = fixture.put("block").with("Expect", "100-continue");
        try (RawConnection known = fixture.connect();
                RawConnection unknown = fixture.connect()) {
            assertThat(known.send(call.head()).reply().status()).isEqualTo(100);
            assertThat(known.send(call.body()).reply().status()).isEqualTo(200);

            assertRefused(unknown.send(call.without("Authorization").head()).reply(), 401);
        }
    }

    @Test
    void clientThatResetsBeforeTheAnswerIsToldOfAsNotReached() throws Exception {
        CompletableFuture<ServiceAnswer> held = new CompletableFuture<>();
        fixture.services = request -> held;
        try (RawConnection connection = fixture.connect()) {
            connection.send(fixture.put("block").bytes());
            await().until(() -> fixture.calls.size() == 1);
            connection.reset();
        }
        // Larger than any socket's buffers, so that a write cannot end in one of them.
        held.complete(new ServiceAnswer(
                List.of(ByteBuffer.allocate(32 << 20), ByteBuffer.allocate(1)),
                fixture.deliveries::add,
                Operation.OTHER));

        await().untilAsserted(() -> assertThat(fixture.deliveries).containsExactly(false));
    }

    @Test
    void clientThatGoesInMidBodyCostsNoMemory() throws Exception {
        SignedCall call = SignedCall.likeGo(fixture.ada, FrontEndFixture.MESSAGE, new byte[50_000]);
        try (RawConnection connection = fixture.connect()) {
            connection.send(call.head()).send(new byte[20_000]);
            await().until(() -> fixture.budget.used() == 50_000 + RequestSender.REQUEST_BYTES);
            connection.reset();
        }

        await().until(() -> fixture.budget.used() == 0);
        assertThat(fixture.calls).isEmpty();
    }

    @Test
    void pipelinedCallsAreAnsweredInOrder() throws Exception {
        fixture.services = request -> {
            String name = UTF_8.decode(request.body().duplicate()).toString();
            return CompletableFuture.supplyAsync(() -> fixture.answer(name));
        };
        try (RawConnection connection = fixture.connect()) {
            for (String body : List.of("first", "second", "third")) {
                connection.send(fixture.put(body).bytes());
            }
            for (String body : List.of("first", "second", "third")) {
                assertThat(connection.reply().text()).isEqualTo(body);
            }
        }
        await().untilAsserted(() -> assertThat(fixture.deliveries).containsExactly(true, true, true));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 5\r\nTransfer-Encoding: chunked",
                "Content-Length: 5\r\nContent-Length: 6",
                "Content-Length: 5, 6",
                "Content-Length: -5",
                "Content-Length: +5",
                "Content-Length: 5x",
                "Content-Length : 5",
                "Transfer-Encoding: chunked, chunked",
                "Transfer-Encoding: chunked, identity",
                "Transfer-Encoding: xchunked",
                "Transfer-Encoding: gzip, chunked",
                "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked",
                "Content-Length: 5\r\nX-Folded: a\r\n b",
                "Content-Length: 5\r\nHost: other",
                "Content-Length: 5\r\nno colon here",
                "Content-Length: 5\nX-Bare: line feeds",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding: chunked\nContent-Length: 5",
            })
    void requestWhoseEndTwoServersCouldSeeDifferentlyIsRefusedAndTheConnectionEnded(String headers) throws Exception {
        try (RawConnection connection = fixture.connect()) {
            connection.send("POST /v1/api/message HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n\r\n0\r\n\r\n");

            RawConnection.Reply reply = connection.reply();
            assertThat(reply.status()).isIn(400, 501);
            assertRefused(reply, reply.status());
            assertThat(connection.atEnd()).isTrue();
        }
        assertThat(fixture.calls).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x\r\n",
                "-1\r\n",
                "0x5\r\nhello\r\n0\r\n\r\n",
                "5\nhello\n0\n\n",
                "5\r\nhelloX0\r\n\r\n",
                "fffffffffffffffff\r\n",
            })
    void chunksThatTwoServersCouldReadDifferentlyAreRefused(String body) throws Exception {
        try (RawConnection connection = fixture.connect()) {
            connection.send(chunked(fixture.put("hello")) + body);
            assertThat(connection.reply().status()).isEqualTo(400);
            assertThat(connection.atEnd()).isTrue();
        }
        assertThat(fixture.calls).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/api/../api/message",
                "/v1/api/%2e%2e/message",
                "/v1/api;x=1/message",
                "/v1/api%2Fmessage",
                "/v1//api/message",
                "/v1/api/message%00",
                "/v1/api/%zz"
            })
    void pathThatTwoServersCouldReadDifferentlyIsNeverServed(String path) throws Exception {
        try (RawConnection connection = fixture.connect()) {
            RawConnection.Reply reply =
                    connection.send(fixture.put("block").to(path).bytes()).reply();

            assertThat(reply.status()).isIn(400, 404);
        }
        assertThat(fixture.calls).isEmpty();
    }

    @Test
    void pathOfRestThatIsRefusedBeforeItsRoutesGetsAProblem() throws Exception {
        try (RawConnection connection = fixture.connect()) {
            RawConnection.Reply reply = connection
                    .send(fixture.put("block").to("/v1/topics/%01").bytes())
                    .reply();

            assertThat(reply.status()).isEqualTo(400);
            assertThat(reply.header("Content-Type")).isEqualTo("application/problem+json");
            assertThat(reply.text())
                    .contains("\"status\":400", "\"code\":\"bad-request\"", "\"outcome\":\"did-not-happen\"");
        }
    }

    @Test
    void headersBeyondTheirLimitAreRefused() throws Exception {
        try (RawConnection connection = fixture.connect()) {
            connection.send(
                    fixture.put("block").with("X-Large", "x".repeat(20_000)).head());

            assertRefused(connection.reply(), 431);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u0016\u0003\u0001\u0002\u0000\u0001",
                "GARBAGE\r\n\r\n",
                "POST /v1/api/message HTTP/9.9\r\n\r\n"
            })
    void whatIsNoHttpEndsTheConnection(String bytes) throws Exception {
        try (RawConnection connection = fixture.connect()) {
            connection.send(bytes + "\r\n\r\n");

            assertThat(connection.reply().status()).isGreaterThanOrEqualTo(400);
            assertThat(connection.atEnd()).isTrue();
        }
    }

    @Test
    void headersThatDoNotComeEndTheConnection() throws Exception {
        restart(Duration.ofSeconds(1), 0, 100);
        try (RawConnection connection = fixture.connect()) {
            connection.send("POST /v1/api/message HTTP/1.1\r\nHost: a\r\n");

            connection.readToEnd();
        }
    }

    @Test
    void bodyThatStopsComingEndsTheConnection() throws Exception {
        restart(Duration.ofSeconds(1), 0, 100);
        SignedCall call = SignedCall.likeGo(fixture.ada, FrontEndFixture.MESSAGE, new byte[1_000]);
        try (RawConnection connection = fixture.connect()) {
            connection.send(call.head()).send(new byte[10]);

            connection.readToEnd();
        }
        assertThat(fixture.calls).isEmpty();
    }

    @Test
    void callThatTakesLongerThanTheIdleTimeoutIsStillAnswered() throws Exception {
        restart(Duration.ofSeconds(1), 0, 100);
        fixture.services = request -> new CompletableFuture<ServiceAnswer>()
                .completeOnTimeout(fixture.answer("late"), 2_500, TimeUnit.MILLISECONDS);
        try (RawConnection connection = fixture.connect()) {
            assertThat(connection.send(fixture.put("block").bytes()).reply().text())
                    .isEqualTo("late");
        }
    }

    /** An answer that nobody reads takes all that its user may hold: nothing more is taken of that user. */
    @Test
    void answersThatNobodyReadsCountUntilTheirConnectionEnds() throws Exception {
        fixture.close();
        fixture = new FrontEndFixture(directory.resolve("again"), FrontEndFixture.withBodies(64 << 20));
        byte[] half = unread();
        try (RawConnection one = fixture.connect();
                RawConnection two = fixture.connect()) {
            one.send(fixture.put("a").bytes());
            await().until(() -> fixture.budget.used() >= half.length);

            assertRefused(two.send(fixture.put("b").bytes()).reply(), 503);
        }
        await().until(() -> fixture.budget.used() == 0);
    }

    @Test
    void whateverOneUserHoldsAnotherIsAnswered() throws Exception {
        fixture.close();
        fixture = new FrontEndFixture(directory.resolve("again"), FrontEndFixture.withBodies(64 << 20));
        byte[] half = unread();
        try (RawConnection hostile = fixture.connect();
                RawConnection peaceful = fixture.connect()) {
            hostile.send(fixture.put("a").bytes());
            await().until(() -> fixture.budget.used() >= half.length);
            fixture.services = request -> CompletableFuture.completedFuture(fixture.answer("done"));

            peaceful.send(fixture.put(fixture.bob, "x".repeat(1_000)).bytes());

            assertThat(peaceful.reply().status()).isEqualTo(200);
        }
    }

    /** From now on calls are answered with half of all memory, which no socket holds; returns the answer. */
    private byte[] unread() {
        byte[] half = new byte[(int) (fixture.budget.limit() / 2) + 1];
        fixture.services = request -> CompletableFuture.completedFuture(
                new ServiceAnswer(List.of(ByteBuffer.wrap(half)), ServiceAnswer.Delivery.IGNORED, Operation.OTHER));
        return half;
    }

    /** Its client would put again what is stored. */
    @Test
    void putThatIsStoredIsAnsweredWhereThereIsNoMemoryForItsAnswer() throws Exception {
        MemoryBudget.Share others = fixture.budget.of("others");
        fixture.services = request -> {
            others.take(fixture.budget.limit());
            return CompletableFuture.completedFuture(new ServiceAnswer(
                    List.of(ByteBuffer.allocate(20_000)), ServiceAnswer.Delivery.IGNORED, Operation.PUT));
        };
        try (RawConnection connection = fixture.connect()) {
            assertThat(connection.send(fixture.put("a").bytes()).reply().status())
                    .isEqualTo(200);
        }
        others.release(fixture.budget.limit());
    }

    @Test
    void smallAnswersThatNobodyReadsCountToo() throws Exception {
        int bytes = 15_000;
        fixture.services = request -> CompletableFuture.completedFuture(
                new ServiceAnswer(List.of(ByteBuffer.allocate(bytes)), ServiceAnswer.Delivery.IGNORED, Operation.GET));
        try (RawConnection connection = fixture.connect()) {
            for (int i = 0; i < 600; i++) { // more answers than sockets hold
                connection.send(fixture.put("a").bytes());
            }

            await().during(Duration.ofSeconds(1)).until(() -> fixture.budget.used() > bytes);
        }
    }

    @Test
    void bodyThatTricklesIsRefused() throws Exception {
        restart(Duration.ofSeconds(20), 10_000, 100);
        SignedCall call = SignedCall.likeGo(fixture.ada, FrontEndFixture.MESSAGE, new byte[50_000]);
        try (RawConnection connection = fixture.connect()) {
            connection.send(call.head());
            await().pollInterval(Duration.ofMillis(100)).until(() -> trickled(connection));
        }
        assertThat(fixture.calls).isEmpty();
    }

    /** Sends one more byte; true once the server has closed the connection. */
    private static boolean trickled(RawConnection connection) {
        try {
            connection.send(new byte[1]);
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void connectionBeyondTheLimitWaitsForAnotherToEnd() throws Exception {
        restart(Duration.ofSeconds(20), 0, 1);
        RawConnection first = fixture.connect();
        assertThat(first.send(fixture.put("block").bytes()).reply().status()).isEqualTo(200);
        try (RawConnection second = fixture.connect()) {
            second.send(fixture.put("block").bytes());
            second.timeout(Duration.ofMillis(300));
            assertThatThrownBy(second::reply).isInstanceOf(SocketTimeoutException.class);

            first.close();
            second.timeout(Duration.ofSeconds(20));
            assertThat(second.reply().status()).isEqualTo(200);
        }
    }

    @Test
    void silentConnectionsGiveWayToNewOnes() throws Exception {
        restart(Duration.ofSeconds(20), 0, 3);
        try (RawConnection served = fixture.connect();
                RawConnection silent = fixture.connect()) {
            assertThat(served.send(fixture.put("block").bytes()).reply().status())
                    .isEqualTo(200);
            try (RawConnection third = fixture.connect();
                    RawConnection fourth = fixture.connect()) {
                third.send(fixture.put("block").bytes());
                fourth.send(fixture.put("block").bytes());

                silent.readToEnd();
                assertThat(third.reply().status()).isEqualTo(200);
                assertThat(fourth.reply().status()).isEqualTo(200);
            }
            assertThat(served.send(fixture.put("block").bytes()).reply().status())
                    .isEqualTo(200);
        }
    }

    private void restart(Duration idle, long bodyRate, int connections) throws Exception {
        fixture.close();
        fixture = new FrontEndFixture(
                directory.resolve("again"), FrontEndFixture.withBounds(idle, bodyRate, connections));
    }
}
