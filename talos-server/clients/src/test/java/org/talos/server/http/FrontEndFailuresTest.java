// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.AbstractList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.http.lent.LentBuffers;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metrics.Operation;
import org.talos.server.service.call.ServiceAnswer;
import org.talos.server.service.call.ServiceAnswer.Delivery;

/**
 * Whatever throws while a request is served, its client gets an answer or the end of its connection; memory is free.
 */
@Timeout(60)
final class FrontEndFailuresTest {
    private static final String FAILED = "The server failed; whether the request took effect is not known.\n";

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

    private RawConnection.Reply reply() throws Exception {
        try (RawConnection connection = fixture.connect()) {
            return connection.send(fixture.put("hello").bytes()).reply();
        }
    }

    private void assertFailed() throws Exception {
        RawConnection.Reply reply = reply();
        assertThat(reply.status()).isEqualTo(500);
        assertThat(reply.header("X-Xiaomi-Timestamp")).isEqualTo(Long.toString(SignedCall.NOW));
        assertThat(reply.text()).isEqualTo(FAILED);
    }

    /** Buffers of which one cannot be taken. */
    private static List<ByteBuffer> brokenAt(int index, List<ByteBuffer> whole) {
        return new AbstractList<>() {
            private int taken;

            @Override
            public ByteBuffer get(int at) {
                if (at == index && taken++ > 0) { // its length is asked for first
                    throw new StackOverflowError("on purpose");
                }
                return whole.get(at);
            }

            @Override
            public int size() {
                return whole.size();
            }
        };
    }

    private static ServiceAnswer answer(List<ByteBuffer> body, Delivery delivery) {
        return new ServiceAnswer(body, delivery, Operation.OTHER);
    }

    @Test
    void aServiceThatThrowsAnErrorIsAnswered() throws Exception {
        fixture.services = request -> {
            throw new StackOverflowError("on purpose");
        };

        assertFailed();
    }

    @Test
    void aCallThatEndsWithAnErrorIsAnswered() throws Exception {
        fixture.services = request -> CompletableFuture.failedFuture(new StackOverflowError("on purpose"));

        assertFailed();
    }

    @Test
    void anAnswerThatCannotBeWrittenIsAnsweredAsAFailure() throws Exception {
        List<ByteBuffer> body = List.of(ByteBuffer.wrap(new byte[3]), ByteBuffer.wrap(new byte[3]));
        fixture.services =
                request -> CompletableFuture.completedFuture(answer(brokenAt(1, body), fixture.deliveries::add));

        assertFailed();
        assertThat(fixture.deliveries).containsExactly(false);
    }

    @Test
    void anAnswerThatBreaksOffEndsItsConnection() throws Exception {
        fixture.close();
        fixture = new FrontEndFixture(
                Files.createDirectory(directory.resolve("roomy")),
                FrontEndFixture.withBodies(4 * LentBuffers.LARGEST_BYTES));
        int half = LentBuffers.LARGEST_BYTES / 2; // the first piece has gone by then
        List<ByteBuffer> body = List.of(ByteBuffer.allocate(half), ByteBuffer.allocate(half), ByteBuffer.allocate(10));
        fixture.services =
                request -> CompletableFuture.completedFuture(answer(brokenAt(2, body), fixture.deliveries::add));

        try (RawConnection connection = fixture.connect()) {
            connection.send(fixture.put("hello").bytes());
            assertThatThrownBy(connection::reply).isInstanceOf(IOException.class);
        }
        assertThat(fixture.deliveries).containsExactly(false);
    }

    @Test
    void whatFollowsAnAnswerCannotHarmItNorTheNextOne() throws Exception {
        fixture.services = request ->
                CompletableFuture.completedFuture(answer(List.of(ByteBuffer.wrap(new byte[] {'o', 'k'})), written -> {
                    fixture.deliveries.add(written);
                    throw new StackOverflowError("on purpose");
                }));

        try (RawConnection connection = fixture.connect()) {
            for (int call = 0; call < 2; call++) {
                RawConnection.Reply reply =
                        connection.send(fixture.put("hello").bytes()).reply();
                assertThat(reply.status()).isEqualTo(200);
                assertThat(reply.text()).isEqualTo("ok");
            }
        }
        await().untilAsserted(() -> assertThat(fixture.deliveries).containsExactly(true, true));
    }

    @Test
    void whoeverHearsThatThereIsNoMemoryForAnAnswerCannotKeepTheClientFromIt() throws Exception {
        ByteBuffer large = ByteBuffer.allocate(FrontEndFixture.MEMORY_BYTES);
        fixture.services = request -> CompletableFuture.completedFuture(answer(List.of(large), written -> {
            fixture.deliveries.add(written);
            throw new IllegalStateException("on purpose");
        }));

        assertFailed();
        assertThat(fixture.deliveries).containsExactly(false);
    }

    /** Answers with this number of bytes, for which there is no memory by then. */
    private void answerWithoutMemory(int bytes, Operation operation) {
        MemoryBudget.Share others = fixture.budget.of("others");
        fixture.services = request -> {
            others.take(fixture.budget.limit());
            return CompletableFuture.completedFuture(new ServiceAnswer(
                    List.of(ByteBuffer.allocate(bytes)),
                    written -> {
                        fixture.deliveries.add(written);
                        others.release(fixture.budget.limit());
                    },
                    operation));
        };
    }

    /** A 503 says that nothing happened: its client would make the call again. */
    @Test
    void callWithoutMemoryForItsAnswerMayHaveBeenCarriedOut() throws Exception {
        answerWithoutMemory(17 << 10, Operation.OTHER);

        assertFailed();
        assertThat(fixture.deliveries).containsExactly(false);
    }

    @Test
    void readWithoutMemoryForItsAnswerIsRefusedForNow() throws Exception {
        answerWithoutMemory(17 << 10, Operation.GET);

        RawConnection.Reply reply = reply();
        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.text()).contains("no memory for the answer");
        assertThat(fixture.deliveries).containsExactly(false);
    }
}
