// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.stream;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IteratingCallback;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.memory.MemoryBudget;

/**
 * Writes an answer that has no end: asks for a piece when the one before has been written, so a client that does not
 * read holds one piece of memory and no thread. While a piece is awaited, signs are written when they are due.
 *
 * <p>Confined: one round of {@link #process} at a time. {@link #stop} and {@link #beat} are thread-safe.
 */
public final class StreamedAnswer extends IteratingCallback implements OpenStreams.Stream {
    private final Response response;
    private final Callback callback;
    private final StreamSource source;
    private final OpenStreams streams;
    private final MemoryBudget.Share memory;
    private final Function<Throwable, Problem> problems;
    private volatile @Nullable CompletableFuture<ByteBuffer> awaited;
    private final AtomicBoolean waits = new AtomicBoolean(); // for its piece: who takes this goes on
    private volatile boolean signDue;
    private volatile boolean stopping;
    private long reserved; // of the piece that is being written
    private boolean ended;

    /**
     * An answer whose head is set.
     *
     * @param callback of the request
     * @param problems the problem that a client gets of a failure
     */
    public StreamedAnswer(
            Response response,
            Callback callback,
            StreamSource source,
            OpenStreams streams,
            MemoryBudget.Share memory,
            Function<Throwable, Problem> problems) {
        this.response = response;
        this.callback = callback;
        this.source = source;
        this.streams = streams;
        this.memory = memory;
        this.problems = problems;
    }

    @Override
    protected Action process() {
        release();
        if (ended) {
            return Action.SUCCEEDED;
        }
        CompletableFuture<ByteBuffer> piece = awaited;
        piece = piece == null ? ask() : piece;
        while (!piece.isDone() && !signDue) {
            waits.set(true);
            boolean goesOn = piece.isDone() || signDue; // it may not have seen that this waits
            if (!goesOn || !waits.compareAndSet(true, false)) {
                return Action.SCHEDULED;
            }
        }
        if (piece.isDone()) {
            awaited = null;
            write(piece);
        } else {
            signDue = false;
            writeSign();
        }
        return Action.SCHEDULED;
    }

    private void goOn() {
        if (waits.compareAndSet(true, false)) {
            succeeded();
        }
    }

    private CompletableFuture<ByteBuffer> ask() {
        CompletableFuture<ByteBuffer> piece = new CompletableFuture<>();
        awaited = piece;
        if (stopping) {
            piece.completeExceptionally(stopped());
        } else {
            follow(piece);
        }
        var unused = piece.whenComplete((bytes, thrown) -> goOn());
        return piece;
    }

    private void follow(CompletableFuture<ByteBuffer> piece) {
        try {
            var unused = source.next().whenComplete((bytes, thrown) -> {
                if (thrown == null) {
                    piece.complete(bytes);
                } else {
                    piece.completeExceptionally(thrown);
                }
            });
        } catch (RuntimeException e) {
            piece.completeExceptionally(e);
        }
    }

    private void write(CompletableFuture<ByteBuffer> piece) {
        @Nullable Throwable failure = piece.handle((bytes, thrown) -> thrown).join();
        if (failure == null && !memory.tryReserve(piece.join().remaining())) {
            failure = ProblemException.refused(503, "no-memory", "the server has no memory for the answer now");
        }
        if (failure == null) {
            ByteBuffer bytes = piece.join();
            reserved = bytes.remaining();
            ended = reserved == 0;
            response.write(ended, bytes, this);
        } else {
            end(failure);
        }
    }

    private void writeSign() {
        try {
            response.write(false, source.sign(), this);
        } catch (RuntimeException e) {
            end(e);
        }
    }

    private void end(Throwable failure) {
        ended = true;
        response.write(true, source.last(problems.apply(failure)), this);
    }

    private static ProblemException stopped() {
        return new ProblemException(
                new Problem(503, "partition-not-serving", "the server is stopping; go on elsewhere", Effect.NONE));
    }

    @Override
    public void stop(int withinMillis) {
        stopping = true;
        @Nullable CompletableFuture<ByteBuffer> piece = awaited;
        if (piece != null) {
            piece.completeExceptionally(stopped());
        }
    }

    @Override
    public void beat() {
        signDue = true;
        goOn();
    }

    private void release() {
        if (reserved > 0) {
            memory.release(reserved);
            reserved = 0;
        }
    }

    @Override
    protected void onCompleteSuccess() {
        source.close();
        streams.remove(this);
        callback.succeeded();
    }

    @Override
    protected void onCompleteFailure(Throwable cause) {
        release();
        source.close();
        streams.remove(this);
        callback.failed(cause);
    }
}
