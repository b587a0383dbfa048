// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.junit.jupiter.api.Test;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;

/** The reader of a body, whose pieces a test gives. */
class BodyReaderTest {
    private final MemoryBudget budget = new MemoryBudget(1 << 20);
    private final MemoryBudget.Share memory = budget.of("ada");
    private final Queue<Content.Chunk> pieces = new ArrayDeque<>();
    private final List<String> ended = new ArrayList<>();
    private final Queue<Runnable> selector = new ArrayDeque<>();

    /** A request that has the given pieces, and breaks after them. */
    private Request request() {
        return (Request) Proxy.newProxyInstance(
                Request.class.getClassLoader(), new Class<?>[] {Request.class}, (self, method, arguments) -> {
                    if (method.getName().equals("getLength")) {
                        return -1L;
                    }
                    if (method.getName().equals("read") && !pieces.isEmpty()) {
                        return pieces.remove();
                    }
                    throw new StackOverflowError("on purpose");
                });
    }

    private final class Listener implements BodyReader.Listener {
        @Override
        public void complete(ByteBuffer body, long reservedBytes) {
            memory.release(reservedBytes);
            ended.add("complete");
            throw new IllegalStateException("on purpose");
        }

        @Override
        public void refused(int status, String sentence, long reservedBytes) {
            memory.release(reservedBytes);
            ended.add("refused " + status);
        }

        @Override
        public void timedOut(long reservedBytes) {
            memory.release(reservedBytes);
            ended.add("timed out");
        }

        @Override
        public void failed(Throwable cause, long reservedBytes) {
            memory.release(reservedBytes);
            ended.add("failed");
        }

        @Override
        public void threw(Throwable cause, long reservedBytes) {
            memory.release(reservedBytes);
            ended.add("threw " + cause.getClass().getSimpleName());
        }
    }

    private void read() {
        BodyPace pace = new BodyPace(0, Duration.ofSeconds(1), 0, () -> 0);
        BodyTask.Callbacks callbacks = new BodyTask.Callbacks(InvocationType.NON_BLOCKING, selector::add);
        new BodyReader(request(), 1 << 20, 0, new RequestMemory(memory), pace, callbacks, new Listener()).run();
    }

    private void readWhole() {
        read();
        while (!selector.isEmpty()) {
            selector.remove().run();
        }
    }

    @Test
    void whatBreaksWhileABodyComesIsReportedWithTheMemoryThatItHolds() {
        pieces.add(Content.Chunk.from(ByteBuffer.wrap(new byte[100]), false));

        read();

        assertThat(ended).containsExactly("threw StackOverflowError");
        assertThat(budget.used()).isZero();
    }

    @Test
    void whatBreaksAfterTheBodyIsReportedAndItsMemoryReleasedOnce() {
        pieces.add(Content.Chunk.from(ByteBuffer.wrap(new byte[100]), true));

        read();

        assertThat(ended).containsExactly("complete", "threw IllegalStateException");
        assertThat(budget.used()).isZero();
    }

    /** Bytes that a user holds count twice, and a body of unknown length is held twice: in pieces, and as a whole. */
    @Test
    void bodyThatNeverFitsIsTooLargeAndOneThatFitsLaterIsNot() {
        pieces.add(Content.Chunk.from(ByteBuffer.wrap(new byte[500_000]), true));

        readWhole();

        assertThat(ended).containsExactly("refused 413");
        MemoryBudget.Share others = budget.of("others");
        others.take(1_000_000);
        pieces.add(Content.Chunk.from(ByteBuffer.wrap(new byte[100_000]), true));

        read();

        assertThat(ended).containsExactly("refused 413", "refused 503");
        others.release(1_000_000);
        assertThat(budget.used()).isZero();
    }

    @Test
    void bodyThatJustFitsAnIdleServerIsToBeRepeatedWhileOthersHoldMemory() {
        ByteBuffer body = ByteBuffer.allocate(330_000);
        MemoryBudget.Share others = budget.of("others");
        others.take(300_000);
        pieces.add(Content.Chunk.from(body.duplicate(), true));

        readWhole();

        assertThat(ended).containsExactly("refused 503");
        others.release(300_000);
        pieces.add(Content.Chunk.from(body.duplicate(), true));

        readWhole();

        assertThat(ended).startsWith("refused 503", "complete");
        assertThat(budget.used()).isZero();
    }

    @Test
    void otherConnectionsHaveTheirTurnWhileALargeBodyComes() {
        ByteBuffer piece = ByteBuffer.allocate(BodyTask.LARGE_BYTES / 2);
        pieces.add(Content.Chunk.from(piece.duplicate(), false));
        pieces.add(Content.Chunk.from(piece.duplicate(), false));
        pieces.add(Content.Chunk.from(piece.duplicate(), true));

        read();

        assertThat(pieces).as("not read yet").hasSize(1);
        assertThat(ended).isEmpty();
        selector.remove().run();
        assertThat(ended).startsWith("complete");
        assertThat(selector).isEmpty();
    }
}
