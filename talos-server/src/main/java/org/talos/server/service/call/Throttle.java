// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.auth.quota.QuotaGate;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.runtime.thread.Continuation;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.Ticker;

/**
 * Checks the quotas of puts and gets, and the number of a user's waiting gets. A get over its rate is refused only
 * after a delay: the SDKs' readers would retry it at once.
 *
 * <p>Thread-safe.
 */
public final class Throttle {
    private final QuotaGate gate;
    private final WaitingRequests waiting;
    private final TimerWheel timers;
    private final Ticker ticker;
    private final Duration refusalDelay;

    public Throttle(QuotaGate gate, WaitingRequests waiting, TimerWheel timers, Ticker ticker, Duration refusalDelay) {
        this.gate = gate;
        this.waiting = waiting;
        this.timers = timers;
        this.ticker = ticker;
        this.refusalDelay = refusalDelay;
    }

    /** Refuses a put over a quota: it has no effect. */
    public void put(CallContext context, TopicRecord topic, long bytes) {
        gate.put(context.principal().userId(), topic, bytes);
    }

    /**
     * Runs a get if the quotas allow it, and counts its result.
     *
     * @param waitNanos longest wait for messages
     */
    public <T> CompletionStage<T> get(
            CallContext context,
            TopicRecord topic,
            long waitNanos,
            Supplier<CompletionStage<T>> read,
            ToLongFunction<T> bytes) {
        String user = context.principal().userId();
        boolean mayWait = waitNanos > 0;
        try {
            admit(user, topic, mayWait);
        } catch (TalosException e) {
            return refusedLater(context.continuation(), e);
        }
        CompletionStage<T> found = mayWait ? counted(user, read) : read.get();
        return found.thenApply(done -> {
            gate.got(user, topic, bytes.applyAsLong(done));
            return done;
        });
    }

    private void admit(String user, TopicRecord topic, boolean mayWait) {
        if (!mayWait) {
            gate.get(user, topic);
            return;
        }
        waiting.enter(user); // first: a get that it refuses counts for no rate
        try {
            gate.get(user, topic);
        } catch (TalosException e) {
            waiting.leave(user);
            throw e;
        }
    }

    /** Runs a read that has been counted as waiting. */
    private <T> CompletionStage<T> counted(String user, Supplier<CompletionStage<T>> read) {
        CompletionStage<T> found;
        try {
            found = read.get();
        } catch (RuntimeException | Error e) {
            waiting.leave(user);
            throw e;
        }
        return found.whenComplete((done, thrown) -> waiting.leave(user));
    }

    /**
     * The refusal is written on the request's continuation: all deadlines of the server wait for the timers' thread.
     */
    private <T> CompletionStage<T> refusedLater(@Nullable Continuation continuation, TalosException refusal) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Runnable refuse = () -> result.completeExceptionally(refusal);
        timers.schedule(
                ticker.nanos() + refusalDelay.toNanos(),
                continuation == null ? refuse : () -> continuation.executeLast(refuse));
        return result;
    }
}
