// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.hbase.AttemptFailure.Kind;
import org.talos.server.runtime.time.Ticker;

/**
 * One call of the store: waits for its attempts, backs off between them, and fails at its deadline with the reason of
 * the last one.
 *
 * <p>Confined: the calling thread.
 */
final class HBaseCall {
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final String what;
    private final Ticker ticker;
    private final long attemptNanos;
    private final long deadline;
    private final CountDownLatch never = new CountDownLatch(1); // for timed waits: never counted down
    private long pause = FIRST_PAUSE_NANOS;

    /** Begins now; {@code what} names the call and the row in messages. */
    HBaseCall(String what, Ticker ticker, CallTimes times) {
        this.what = what;
        this.ticker = ticker;
        this.attemptNanos = times.attempt().toNanos();
        this.deadline = ticker.nanos() + times.all().toNanos();
    }

    /** Waits for a step that changes nothing, so that its failure leaves the effect known. */
    void awaitStep(CompletableFuture<?> step) throws AttemptFailure {
        try {
            var unused = await(step);
        } catch (AttemptFailure e) {
            throw e.kind() == Kind.NO_ANSWER ? e.withKind(Kind.UNREACHED) : e;
        }
    }

    /** Waits for an attempt's answer, for the time of an attempt at most. */
    <T> T await(CompletableFuture<T> attempt) throws AttemptFailure {
        try {
            return attempt.get(Math.max(0, Math.min(attemptNanos, left())), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw AttemptFailure.of(e);
        } catch (TimeoutException e) {
            throw new AttemptFailure(Kind.NO_ANSWER, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AttemptFailure(Kind.INTERRUPTED, e);
        }
    }

    /**
     * Repeats a read until it is answered or the deadline has passed.
     *
     * @param effect of the call that the read belongs to
     * @throws MetadataException with this effect
     */
    <T> T read(Supplier<CompletableFuture<T>> attempt, Effect effect) throws MetadataException {
        while (true) {
            try {
                return await(attempt.get());
            } catch (AttemptFailure e) {
                repeatAfter(e, effect);
            }
        }
    }

    /**
     * Backs off before the next attempt, each time longer.
     *
     * @throws MetadataException with this effect, if the deadline has passed or a retry does not help
     */
    void repeatAfter(AttemptFailure last, Effect effect) throws MetadataException {
        boolean repeatable = last.kind() != Kind.REFUSED && last.kind() != Kind.INTERRUPTED;
        if (!repeatable || left() <= pause || !paused()) {
            throw failed(last, effect);
        }
    }

    private boolean paused() {
        try {
            var unused = never.await(pause, TimeUnit.NANOSECONDS);
            pause = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private MetadataException failed(AttemptFailure last, Effect effect) {
        boolean busy = last.kind() == Kind.BUSY && effect == Effect.NONE;
        return new MetadataException(
                busy ? Reason.BUSY : Reason.UNAVAILABLE,
                effect,
                what + " in HBase failed: " + last.getMessage(),
                last.getCause());
    }

    private long left() {
        return deadline - ticker.nanos();
    }

    @Override
    public String toString() {
        return what;
    }
}
