// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.talos.server.log.Deletion;
import org.talos.server.log.Put;
import org.talos.server.log.Slice;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;

/**
 * Requests to another server. Those that wait are treated specially:
 *
 * <ul>
 *   <li>A wait for which there is no room on the way is retried each second, and without a wait at its end. A client
 *       that waits for messages could not do better.
 *   <li>When this server stops, it sends waiting reads once more without a wait, because it cannot end a wait at
 *       another server.
 * </ul>
 *
 * <p>Thread-safe.
 *
 * @param timer completes at an instant, or at once when this server stops
 */
record ForwardedWaits(
        PartitionRequests to, LongWaits waits, Ticker ticker, LongFunction<CompletionStage<@Nullable Void>> timer)
        implements PartitionRequests {
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    @Override
    public CompletionStage<AppendResult> put(LogId id, Put put, ForwardContext forward) {
        return to.put(id, put, forward);
    }

    @Override
    public CompletionStage<Slice> read(LogId id, ReadRequest read, ForwardContext forward) {
        ReadRequest now = waits.areOver() ? read.withoutWaiting() : read;
        if (now.waitNanos() <= 0) {
            return to.read(id, now, forward);
        }
        Wait<Slice> wait = new Wait<>(
                left -> to.read(id, read.waiting(left), forward),
                ticker.nanos() + read.waitNanos(),
                forward.deadlineNanos());
        wait.ask(read.waitNanos());
        waits.onEnd(wait.result, () -> wait.end(to.read(id, read.withoutWaiting(), forward)));
        return wait.result;
    }

    @Override
    public CompletionStage<Set<LogId>> awaitAny(Map<LogId, Long> ends, long waitNanos, ForwardContext forward) {
        Wait<Set<LogId>> wait = new Wait<>(
                left -> left > 0
                        ? to.awaitAny(ends, left, forward)
                        : CompletableFuture.completedFuture(Set.of()), // nothing was found in time
                ticker.nanos() + waitNanos,
                forward.deadlineNanos());
        wait.ask(waitNanos);
        return wait.result;
    }

    /** A request that waits there, and is repeated where it is refused. Thread-safe. */
    private final class Wait<R> {
        private final LongFunction<CompletionStage<R>> request; // by the rest of its wait, in nanoseconds
        private final long untilNanos;
        private final long deadlineNanos;
        private final CompletableFuture<R> result = new CompletableFuture<>();

        Wait(LongFunction<CompletionStage<R>> request, long untilNanos, long deadlineNanos) {
            this.request = request;
            this.untilNanos = untilNanos;
            this.deadlineNanos = deadlineNanos;
        }

        private void ask(long waitNanos) {
            var unused = request.apply(waitNanos).whenComplete((found, error) -> {
                if (error == null) {
                    result.complete(found);
                } else if (isRefused(error) && !waits.areOver() && ticker.nanos() + RETRY_NANOS < deadlineNanos) {
                    askLater();
                } else {
                    result.completeExceptionally(error);
                }
            });
        }

        private void askLater() {
            long now = ticker.nanos();
            long left = untilNanos - now;
            long pause = left > 0 ? Math.min(left, RETRY_NANOS) : RETRY_NANOS;
            var unused = timer.apply(now + pause).thenRun(() -> {
                if (!result.isDone()) {
                    ask(untilNanos - ticker.nanos());
                }
            });
        }

        private void end(CompletionStage<R> last) {
            var unused = last.whenComplete((found, error) -> {
                if (error == null) {
                    result.complete(found);
                } else {
                    result.completeExceptionally(error);
                }
            });
        }
    }

    /** Returns whether there was no room for a request on its way, so that it did nothing. */
    static boolean isRefused(Throwable error) {
        return Failures.of(error).code() == ErrorCode.EXCESSIVE_PENDING_MESSAGE;
    }

    @Override
    public CompletionStage<Map<LogId, LogBounds>> bounds(List<LogId> ids, ForwardContext forward) {
        return to.bounds(ids, forward);
    }

    @Override
    public CompletionStage<Long> offsetAtTime(LogId id, long timeMillis, ForwardContext forward) {
        return to.offsetAtTime(id, timeMillis, forward);
    }

    @Override
    public CompletionStage<Deletion.Result> delete(LogId id, Deletion deletion, ForwardContext forward) {
        return to.delete(id, deletion, forward);
    }
}
