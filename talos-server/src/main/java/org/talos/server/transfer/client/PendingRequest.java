// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.transfer.wire.Request;
import org.talos.thrift.ErrorCode;

/**
 * A request on its way, and what became of it, decided once. Until its first byte is written nothing has happened; from
 * then on until its answer nobody knows, if it is one that has an effect.
 *
 * <p>Thread-safe.
 */
final class PendingRequest<R> {
    private final Request<R> request;
    private final ForwardContext hop;
    private final CompletableFuture<R> answer = new CompletableFuture<>();
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
    private volatile Runnable abandon = () -> {}; // what frees those who work on it, once its time is over

    private enum State {
        WAITING,
        WRITTEN,
        ENDED
    }

    PendingRequest(Request<R> request, ForwardContext hop) {
        this.request = request;
        this.hop = hop;
    }

    Request<R> request() {
        return request;
    }

    ForwardContext hop() {
        return hop;
    }

    CompletableFuture<R> answer() {
        return answer;
    }

    /** Whether it is decided: nobody needs to do anything for it any more. */
    boolean isOver() {
        return state.get() == State.ENDED;
    }

    /** Before it is written: what to do if its time ends, by any thread. */
    void onAbandoned(Runnable then) {
        abandon = then;
    }

    /** Its first byte goes out now; false if it is over, and must not. */
    boolean beginWriting() {
        return state.compareAndSet(State.WAITING, State.WRITTEN);
    }

    /** Its answer has come; false if that is too late. */
    boolean answered(R result) {
        return state.getAndSet(State.ENDED) != State.ENDED && answer.complete(result);
    }

    /** The other server answered with an error: it says itself what happened. False if that is too late. */
    boolean answered(TalosException error) {
        return state.getAndSet(State.ENDED) != State.ENDED && answer.completeExceptionally(error);
    }

    /** There will be no answer; the code is for when nothing has happened. True if that is what it ends with. */
    boolean failed(ErrorCode code, String sentence) {
        State before = state.getAndSet(State.ENDED);
        if (before == State.ENDED) {
            return false;
        }
        boolean unknown = before == State.WRITTEN && request.mayTakeEffect();
        answer.completeExceptionally(
                unknown
                        ? new TalosException(ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN, sentence)
                        : TalosException.refused(code, sentence));
        return true;
    }

    /** Its deadline has passed. */
    void expired() {
        if (failed(ErrorCode.REQUEST_PROCESS_TIMEOUT, "the partition's server did not answer in time")) {
            abandon.run();
        }
    }
}
