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
import org.talos.server.runtime.Ticker;

/**
 * One call of the store, from its begin to its deadline: waits for attempts, pauses between them, and says at the end
 * why nothing came of them.
 *
 * <p>Confined: to the thread that makes the call.
 */
final class HBaseCall {
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final String what;
    private final Ticker ticker;
    private final long attemptNanos;
    private final long deadline;
    private final CountDownLatch never = new CountDownLatch(1); // to wait on: it stays shut
    private long pause = FIRST_PAUSE_NANOS;

    /** Begins now; {@code what} is for operators: the call and the row. */
    HBaseCall(String what, Ticker ticker, CallTimes times) {
        this.what = what;
        this.ticker = ticker;
        this.attemptNanos = times.attempt().toNanos();
        this.deadline = ticker.nanos() + times.all().toNanos();
    }

    /** The end of a step that carries nothing out, so that it leaves no doubt when it fails. */
    void awaitStep(CompletableFuture<?> step) throws AttemptFailure {
        try {
            var unused = await(step);
        } catch (AttemptFailure e) {
            throw e.kind() == Kind.NO_ANSWER ? e.as(Kind.UNREACHED) : e;
        }
    }

    /** An attempt's answer. */
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
     * The answer of something that changes nothing: attempts until there is one, or the time is over.
     *
     * @throws MetadataException with this effect, which is that of what the reading is for
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
     * Waits a little, each time longer.
     *
     * @throws MetadataException with this effect, if another attempt is no use
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
        boolean blocked = last.kind() == Kind.BUSY && effect == Effect.NONE;
        return new MetadataException(
                blocked ? Reason.BUSY : Reason.UNAVAILABLE,
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
