// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.stream;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IteratingCallback;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.server.http.body.Body;
import org.talos.server.http.body.Bytes;
import org.talos.server.http.rest.json.Problem;
import org.talos.server.http.rest.json.ProblemException;
import org.talos.server.http.rest.stream.StreamSource.Piece;
import org.talos.server.memory.MemoryBudget;

/**
 * Writes an answer that has no end: asks for a piece when the one before has been written, so a client that does not
 * read holds the memory of one piece and no thread. A piece is rendered into one buffer, which is written each time it
 * is full. While a piece is awaited, signs are written when they are due.
 *
 * <p>Confined: one round of {@link #process} at a time. {@link #stop} and {@link #beat} are thread-safe.
 */
public final class StreamedAnswer extends IteratingCallback implements OpenStreams.Stream {
    /** Size of a rendered piece. A selector renders it in a fraction of a millisecond. */
    private static final int PIECE_BYTES = 64 << 10;

    private final Response response;
    private final Callback callback;
    private final StreamSource source;
    private final OpenStreams streams;
    private final MemoryBudget.Share memory;
    private final Function<Throwable, Problem> problems;
    private final Executor heavy;
    private volatile @Nullable CompletableFuture<Piece> awaited;
    private final AtomicBoolean waits = new AtomicBoolean(); // for its piece: the thread that takes this continues
    private volatile boolean signDue;
    private volatile boolean stopping;
    private @Nullable Piece piece; // that is being written
    private ByteBuffer buffer = ByteBuffer.allocate(0); // through which it is written
    private boolean ended;

    /**
     * An answer whose head is set.
     *
     * @param callback of the request
     * @param problems the problem that a client gets of a failure
     * @param heavy renders large pieces, outside of the threads with connections
     */
    public StreamedAnswer(
            Response response,
            Callback callback,
            StreamSource source,
            OpenStreams streams,
            MemoryBudget.Share memory,
            Function<Throwable, Problem> problems,
            Executor heavy) {
        this.response = response;
        this.callback = callback;
        this.source = source;
        this.streams = streams;
        this.memory = memory;
        this.problems = problems;
        this.heavy = heavy;
    }

    @Override
    protected Action process() {
        Piece current = piece;
        if (current != null && !current.body().isDone()) {
            heavy.execute(() -> writeMore(current));
            return Action.SCHEDULED;
        }
        release();
        return ended ? Action.SUCCEEDED : follow();
    }

    /** Begins with the next piece or writes a sign, whichever is due, once one is. */
    private Action follow() {
        CompletableFuture<Piece> next = awaited;
        next = next == null ? ask() : next;
        while (!next.isDone() && !signDue) {
            waits.set(true);
            boolean continues = next.isDone() || signDue; // it may not have seen that this waits
            if (!continues || !waits.compareAndSet(true, false)) {
                return Action.SCHEDULED;
            }
        }
        if (next.isDone()) {
            awaited = null;
            write(next);
        } else {
            signDue = false;
            writeSign();
        }
        return Action.SCHEDULED;
    }

    private void resume() {
        if (waits.compareAndSet(true, false)) {
            succeeded();
        }
    }

    private CompletableFuture<Piece> ask() {
        CompletableFuture<Piece> next = new CompletableFuture<>();
        awaited = next;
        if (stopping) {
            next.completeExceptionally(stopped());
        } else {
            ask(next);
        }
        var unused = next.whenComplete((given, thrown) -> resume());
        return next;
    }

    private void ask(CompletableFuture<Piece> next) {
        try {
            var unused = source.next().whenComplete((given, thrown) -> {
                if (thrown != null) {
                    next.completeExceptionally(thrown);
                } else if (!next.complete(given)) {
                    given.release().run(); // the stream was stopped since
                }
            });
        } catch (RuntimeException e) {
            next.completeExceptionally(e);
        }
    }

    private void write(CompletableFuture<Piece> next) {
        @Nullable Throwable failure = next.handle((given, thrown) -> thrown).join();
        if (failure != null) {
            end(failure);
            return;
        }
        Piece given = next.join();
        piece = given;
        ended = given.body().isDone();
        int bytes = (int) Math.max(Body.LEAST_ROOM_BYTES, Math.min(given.body().mostBytes(), PIECE_BYTES));
        if (memory.tryReserve(bytes)) {
            buffer = ByteBuffer.allocate(bytes);
            writeNext(given);
        } else {
            piece = new Piece(new Bytes(List.of()), given.release());
            end(ProblemException.refused(503, "no-memory", "the server has no memory for the answer now"));
        }
    }

    /** Writes the rest of a piece. Runs outside of the threads with connections, since large pieces take long. */
    private void writeMore(Piece current) {
        try {
            writeNext(current);
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    private void writeNext(Piece current) {
        buffer.clear();
        current.body().fill(buffer);
        response.write(ended, buffer.flip(), this);
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
                new Problem(503, "partition-not-serving", "the server is stopping; use another server", Effect.NONE));
    }

    @Override
    public void stop(int withinMillis) {
        stopping = true;
        @Nullable CompletableFuture<Piece> next = awaited;
        if (next != null) {
            next.completeExceptionally(stopped());
        }
    }

    @Override
    public void beat() {
        signDue = true;
        resume();
    }

    /** Releases the piece that has been written, and its buffer. */
    private void release() {
        Piece written = piece;
        if (written != null) {
            piece = null;
            memory.release(buffer.capacity());
            buffer = ByteBuffer.allocate(0);
            written.release().run();
        }
    }

    /** Releases the requested piece, now or when it arrives, because the stream has ended before writing it. */
    private void dropAwaited() {
        CompletableFuture<Piece> next = awaited;
        if (next != null && !next.completeExceptionally(new CancellationException())) {
            var unused = next.thenAccept(given -> given.release().run());
        }
    }

    @Override
    protected void onCompleteSuccess() {
        dropAwaited();
        source.close();
        streams.remove(this);
        callback.succeeded();
    }

    @Override
    protected void onCompleteFailure(Throwable cause) {
        release();
        dropAwaited();
        source.close();
        streams.remove(this);
        callback.failed(cause);
    }
}
