// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.talos.common.error.TalosException;
import org.talos.server.auth.quota.QuotaGate;
import org.talos.server.metadata.rows.TopicRecord;
import org.talos.server.runtime.Ticker;
import org.talos.server.runtime.TimerWheel;

/**
 * Checks the quotas of puts and gets. A get over its rate is refused only after a delay: the SDKs' readers would repeat
 * it at once.
 *
 * <p>Thread-safe.
 */
public final class Throttle {
    private final QuotaGate gate;
    private final TimerWheel timers;
    private final Ticker ticker;
    private final Duration refusalDelay;

    public Throttle(QuotaGate gate, TimerWheel timers, Ticker ticker, Duration refusalDelay) {
        this.gate = gate;
        this.timers = timers;
        this.ticker = ticker;
        this.refusalDelay = refusalDelay;
    }

    /** Refuses a put over a quota: nothing of it has happened. */
    public void put(CallContext context, TopicRecord topic, long bytes) {
        gate.put(context.principal().userId(), topic, bytes);
    }

    /** Runs a get if the quotas allow it, and counts what it found. */
    public <T> CompletionStage<T> get(
            CallContext context, TopicRecord topic, Supplier<CompletionStage<T>> read, ToLongFunction<T> bytes) {
        String user = context.principal().userId();
        try {
            gate.get(user, topic);
        } catch (TalosException e) {
            return refusedLater(e);
        }
        return read.get().thenApply(found -> {
            gate.got(user, topic, bytes.applyAsLong(found));
            return found;
        });
    }

    private <T> CompletionStage<T> refusedLater(TalosException refusal) {
        CompletableFuture<T> result = new CompletableFuture<>();
        timers.schedule(ticker.nanos() + refusalDelay.toNanos(), () -> result.completeExceptionally(refusal));
        return result;
    }
}
