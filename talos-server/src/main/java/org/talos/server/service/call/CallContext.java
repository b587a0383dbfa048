// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.talos.server.auth.Principal;
import org.talos.server.memory.RequestMemory;
import org.talos.server.partition.serving.Failures;
import org.talos.server.runtime.client.Presence;
import org.talos.server.runtime.thread.Continuation;
import org.talos.server.tracing.Trace;

/**
 * A call that is being run. Immutable.
 *
 * @param deadlineNanos of the answer, unless the request names a deadline of its own
 * @param continuation runs the rest of the work once storage has answered; null where any thread may
 * @param presence of the caller, for calls that wait
 * @param memory for its answer
 * @param trace of the request; null if it has none that is known
 */
public record CallContext(
        KnownCaller caller,
        long arrivedNanos,
        long deadlineNanos,
        @Nullable Continuation continuation,
        Presence presence,
        AnswerMemory memory,
        @Nullable Trace trace) {
    /** Returns the context of the request on this thread. */
    public CallContext(
            KnownCaller caller,
            long arrivedNanos,
            long deadlineNanos,
            @Nullable Continuation continuation,
            Presence presence,
            RequestMemory memory) {
        this(caller, arrivedNanos, deadlineNanos, continuation, presence, new AnswerMemory(memory), Trace.current());
    }

    /** Returns the caller, as known when the request came. */
    public Principal principal() {
        return caller.principal();
    }

    /** Returns the caller, checked at each call: see {@link KnownCaller}. */
    public Supplier<Principal> known() {
        return caller.known();
    }

    /** Returns the client's description of itself. */
    public ClientInfo client() {
        return caller.client();
    }

    /** Returns the same request with another presence: that of a client that waits for a part of it. */
    public CallContext with(Presence other) {
        return new CallContext(caller, arrivedNanos, deadlineNanos, continuation, other, memory, trace);
    }

    /** Returns the same request as a part of a trace, or of none. */
    public CallContext with(@Nullable Trace other) {
        return Objects.equals(trace, other)
                ? this
                : new CallContext(caller, arrivedNanos, deadlineNanos, continuation, presence, memory, other);
    }

    /** Runs the work if the caller may act at all; every failure becomes one of the protocol. */
    public <T> CompletionStage<T> guarded(Supplier<CompletionStage<T>> work) {
        CompletionStage<T> result;
        try {
            principal().requireRightToAct();
            result = work.get();
        } catch (RuntimeException e) {
            result = CompletableFuture.failedFuture(e);
        }
        return result.handle((done, thrown) -> {
            if (thrown != null) {
                throw Failures.of(thrown);
            }
            return done;
        });
    }
}
