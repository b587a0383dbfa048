// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.thrift.TException;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.memory.Buffers;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.transfer.wire.Answer;
import org.talos.server.transfer.wire.Frame;
import org.talos.server.transfer.wire.Request;
import org.talos.thrift.ErrorCode;

/**
 * A request in flight and its outcome, which is decided once. Until its first byte is written, it has no effect. From
 * then on until its answer, the effect is unknown, unless the request changes nothing.
 *
 * <p>Thread-safe.
 *
 * @param <R> the result
 */
public final class PendingRequest<R> {
    private final Request<R> request;
    private final ForwardContext context;
    private final CompletableFuture<R> answer = new CompletableFuture<>();
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
    private volatile Runnable abandon = () -> {}; // frees the thread or connection that works on it

    private enum State {
        WAITING,
        WRITTEN,
        ENDED
    }

    PendingRequest(Request<R> request, ForwardContext context) {
        this.request = request;
        this.context = context;
    }

    /** Returns the request. */
    public Request<R> request() {
        return request;
    }

    /** Returns the user and the deadline. */
    public ForwardContext context() {
        return context;
    }

    CompletableFuture<R> answer() {
        return answer;
    }

    /** Returns whether the outcome is decided, so that no more work on the request is needed. */
    boolean isOver() {
        return state.get() == State.ENDED;
    }

    /** Sets the task that runs, on any thread, if its deadline passes before its answer arrives. */
    public void onAbandoned(Runnable then) {
        abandon = then;
    }

    /** Ends the request if its message is larger than servers accept; returns whether it was. */
    public boolean isTooLarge(List<ByteBuffer> message, int mostBytes) {
        boolean tooLarge = Buffers.bytes(message) > mostBytes;
        if (tooLarge) {
            failed(ErrorCode.REQUEST_TOO_LARGE, "larger than servers forward (transfer.maxFrameBytes)");
        }
        return tooLarge;
    }

    /**
     * Ends the request if its deadline has passed, even if its timer has not fired yet; returns whether it has passed.
     */
    public boolean isLate(long nowNanos) {
        boolean late = nowNanos - context.deadlineNanos() >= 0;
        if (late) {
            expired();
        }
        return late;
    }

    /**
     * Notes that the first byte is about to be written; returns false if the request has ended and must not be written.
     */
    public boolean beginWriting() {
        return state.compareAndSet(State.WAITING, State.WRITTEN);
    }

    /**
     * Ends it with the other server's answer; false if it was over before.
     *
     * @throws IOException the answer cannot be read
     */
    public boolean answeredBy(Frame frame) throws IOException {
        try {
            return answered(Answer.read(request, frame));
        } catch (TalosException e) {
            return answered(e);
        } catch (TException | IllegalArgumentException e) {
            throw new IOException("answer that cannot be read", e);
        }
    }

    /** Ends the request with the other server's result; returns false if it had ended before. */
    boolean answered(R result) {
        return state.getAndSet(State.ENDED) != State.ENDED && answer.complete(result);
    }

    /** Ends the request with the other server's error and its effect; returns false if it had ended before. */
    boolean answered(TalosException error) {
        return state.getAndSet(State.ENDED) != State.ENDED && answer.completeExceptionally(error);
    }

    /**
     * Ends the request without an answer; the code is used if it had no effect. Returns false if it had ended before.
     */
    boolean failed(ErrorCode code, String sentence) {
        TalosException error = end(code, sentence);
        return error != null && answer.completeExceptionally(error);
    }

    private @Nullable TalosException end(ErrorCode code, String sentence) {
        State before = state.getAndSet(State.ENDED);
        if (before == State.ENDED) {
            return null;
        }
        boolean unknown = before == State.WRITTEN && request.mayTakeEffect();
        return unknown
                ? new TalosException(ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN, sentence)
                : TalosException.refused(code, sentence);
    }

    /** Ends the request because its deadline has passed. */
    void expired() {
        TalosException error = end(ErrorCode.REQUEST_PROCESS_TIMEOUT, "the partition's server did not answer in time");
        if (error == null) {
            return;
        }
        try {
            abandon.run(); // first: a notified caller may send the next request at once
        } finally {
            answer.completeExceptionally(error);
        }
    }
}
