// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.common.error.Effect;
import org.talos.server.http.body.Bytes;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;

/** An answer whose pieces, and the ends of whose writes, the test gives. */
class StreamedAnswerTest {
    private static final int PIECE_BYTES = 100_000; // two buffers
    private static final long SEED = 17;
    private static final int ORDERS = 2_000;

    private final MemoryBudget budget = new MemoryBudget(1 << 20);
    private final MemoryBudget.Share share = budget.of("user");
    private final OpenStreams streams =
            new OpenStreams(new OpenStreams.Bounds(4, 2), Duration.ofSeconds(40), (delay, task) -> {}, () -> 0);
    private final Queue<CompletableFuture<StreamSource.Piece>> asked = new ArrayDeque<>();
    private final Queue<Callback> writes = new ArrayDeque<>();
    private final Queue<Runnable> heavy = new ArrayDeque<>();
    private final List<String> written = new ArrayList<>();
    private final List<String> ends = new ArrayList<>();
    private boolean isRevoked;
    private StreamedAnswer answer = answer();

    /** Gives what the test completes. Confined: the test. */
    private final class Source implements StreamSource {
        @Override
        public CompletionStage<Piece> next() {
            CompletableFuture<Piece> next = new CompletableFuture<>();
            asked.add(next);
            return next;
        }

        @Override
        public ByteBuffer sign() {
            if (isRevoked) {
                throw ProblemException.refused(403, "permission-denied", "revoked");
            }
            return ByteBuffer.wrap("sign".getBytes(UTF_8));
        }

        @Override
        public void close() {
            ends.add("closed");
        }

        @Override
        public ByteBuffer last(Problem problem) {
            return ByteBuffer.wrap("problem".getBytes(UTF_8));
        }
    }

    private StreamedAnswer answer() {
        Callback end = Callback.from(() -> ends.add("succeeded"), thrown -> ends.add("failed"));
        Problem problem = new Problem(403, "permission-denied", "revoked", Effect.NONE);
        return new StreamedAnswer(response(), end, new Source(), streams, share, thrown -> problem, heavy::add);
    }

    private Response response() {
        return (Response) Proxy.newProxyInstance(
                Response.class.getClassLoader(), new Class<?>[] {Response.class}, (self, method, arguments) -> {
                    written.add(UTF_8.decode((ByteBuffer) arguments[1]).toString());
                    writes.add((Callback) arguments[2]);
                    return null;
                });
    }

    /** Completes a read with a piece in memory of its own, as messages are. */
    private void give(CompletableFuture<StreamSource.Piece> read) {
        RequestMemory part = new RequestMemory(share);
        part.reserve(PIECE_BYTES);
        ByteBuffer bytes = ByteBuffer.allocate(PIECE_BYTES);
        read.complete(new StreamSource.Piece(new Bytes(List.of(bytes)), part::close));
    }

    @Test
    void pieceThatCameWhileASignWasWrittenIsReleasedIfTheClientIsGone() {
        answer.iterate();
        answer.beat();
        assertThat(written).containsExactly("sign");
        give(asked.remove());

        writes.remove().failed(new EofException());

        assertThat(ends).containsExactly("closed", "failed");
        assertThat(budget.used()).isZero();
    }

    @Test
    void pieceThatCameWhileTheStreamEndedForItsPermissionIsReleased() {
        answer.iterate();
        isRevoked = true;
        answer.beat();
        assertThat(written).containsExactly("problem");
        give(asked.remove());

        writes.remove().succeeded();

        assertThat(ends).containsExactly("closed", "succeeded");
        assertThat(budget.used()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void pieceThatComesWhenTheStreamHasEndedIsReleased(boolean clientIsGone) {
        answer.iterate();
        isRevoked = !clientIsGone;
        answer.beat();
        if (clientIsGone) {
            writes.remove().failed(new EofException());
        } else {
            writes.remove().succeeded();
        }
        assertThat(ends).hasSize(2);

        give(asked.remove());

        assertThat(budget.used()).isZero();
    }

    @Test
    void pieceIsReleasedOnceItHasBeenWritten() {
        answer.iterate();
        give(asked.remove());
        assertThat(budget.used()).isGreaterThan(PIECE_BYTES);
        writes.remove().succeeded();
        heavy.remove().run(); // what follows its first buffer
        writes.remove().succeeded();

        assertThat(String.join("", written)).hasSize(PIECE_BYTES);
        assertThat(asked).as("the next one").hasSize(1);
        assertThat(budget.used()).isZero();
    }

    @Test
    void nothingIsHeldInTheEndInWhateverOrderThingsHappen() {
        Random random = new Random(SEED);
        for (int order = 0; order < ORDERS; order++) {
            begin();
            while (ends.isEmpty()) {
                step(random.nextInt(8));
            }
            writes.clear();
            asked.forEach(this::give);

            assertThat(budget.used()).as("order %s of seed %s", order, SEED).isZero();
        }
    }

    private void begin() {
        asked.clear();
        heavy.clear();
        written.clear();
        ends.clear();
        isRevoked = false;
        answer = answer();
        answer.iterate();
    }

    private void step(int which) {
        switch (which) {
            case 0 -> answer.beat();
            case 1 -> answer.stop(0);
            case 2 -> isRevoked = true;
            case 3 -> {
                if (!writes.isEmpty()) {
                    writes.remove().failed(new EofException());
                }
            }
            case 4, 5 -> {
                if (!writes.isEmpty()) {
                    writes.remove().succeeded();
                }
            }
            case 6 -> {
                if (!asked.isEmpty()) {
                    give(asked.remove());
                }
            }
            default -> {
                if (!heavy.isEmpty()) {
                    heavy.remove().run();
                }
            }
        }
    }
}
