// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.dispatch.Priority;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.Slice;
import org.talos.server.partition.PartitionManager;
import org.talos.server.runtime.MemoryBudget;
import org.talos.server.runtime.Ticker;
import org.talos.server.runtime.TimerWheel;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.MessageOffset;

/**
 * Reads messages: from memory on the caller's thread, else from storage in the pool. A read at the end of the log waits
 * for more without a thread.
 *
 * <p>Thread-safe.
 */
public final class MessageReads {
    /** The offset that stands for the oldest message. */
    public static final long START = MessageOffset.START_OFFSET.getValue();
    /** The offset that stands for the newest message. */
    public static final long LATEST = MessageOffset.LATEST_OFFSET.getValue();

    private final PartitionManager partitions;
    private final GetPool pool;
    private final MemoryBudget budget;
    private final TimerWheel timers;
    private final Ticker ticker;

    public MessageReads(
            PartitionManager partitions, GetPool pool, MemoryBudget budget, TimerWheel timers, Ticker ticker) {
        this.partitions = partitions;
        this.pool = pool;
        this.budget = budget;
        this.timers = timers;
        this.ticker = ticker;
    }

    /** A read of one partition of this server, to be answered by the deadline. Immutable. */
    private record Pending(LogId id, ReadRequest asked, ForwardContext forward) {
        Pending withoutWaiting() {
            return new Pending(id, asked.withoutWaiting(), forward);
        }
    }

    /** What one attempt gave: the messages, or that it is worth waiting for more than those up to an end. */
    private record Attempt(@Nullable CompletionStage<Slice> done, long seenEnd) {}

    /** Completes with the messages that are there, or with none once the wait is over. */
    CompletionStage<Slice> read(LogId id, ReadRequest asked, ForwardContext forward) {
        Pending read = new Pending(id, asked, forward);
        Attempt attempt = attempt(read);
        return attempt.done == null ? await(read, attempt.seenEnd) : attempt.done;
    }

    /**
     * Completes once any of the logs has a message at or behind its offset, or is closed; at the latest at the instant.
     */
    CompletionStage<@Nullable Void> awaitAny(Map<LogId, Long> ends, long untilNanos) {
        CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
        List<Runnable> stops = new ArrayList<>();
        TimerWheel.Timeout timeout = timers.schedule(untilNanos, () -> result.complete(null));
        ends.forEach(
                (id, end) -> stops.add(partitions.partition(id).log().awaitMessages(end, () -> result.complete(null))));
        var unused = result.whenComplete((nothing, error) -> {
            timeout.cancel();
            stops.forEach(Runnable::run);
        });
        return result;
    }

    private Attempt attempt(Pending read) {
        PartitionLog log = partitions.partition(read.id).log();
        long offset = place(read.asked.offset(), log);
        Optional<Slice> slice = log.readFromMemory(offset, read.asked.limits());
        if (slice.isEmpty()) {
            return new Attempt(readFromStorage(read, log, offset), 0);
        }
        return read.asked.isEnough(slice.get())
                ? new Attempt(CompletableFuture.completedFuture(slice.get()), 0)
                : new Attempt(null, slice.get().durableEnd());
    }

    /**
     * Reads in the pool: only a reader that catches up finds its messages no longer in memory. The bytes read are
     * reserved until the answer has been made of them, which has a reservation of its own.
     */
    private CompletionStage<Slice> readFromStorage(Pending read, PartitionLog log, long offset) {
        long bytes = read.asked.limits().bytes();
        if (!budget.tryReserve(bytes)) {
            throw TalosException.refused(
                    ErrorCode.EXCESSIVE_PENDING_MESSAGE, "the server has no memory for reading from storage now");
        }
        return pool.run(
                read.id,
                Priority.LOW,
                read.forward.deadlineNanos(),
                () -> log.read(offset, read.asked.limits()),
                () -> budget.release(bytes));
    }

    /** «Latest» is the last message: a reader would otherwise miss those that arrive between two of its gets. */
    private static long place(long asked, PartitionLog log) {
        if (asked == START) {
            return log.startOffset();
        }
        return asked == LATEST ? Math.max(log.startOffset(), log.durableEnd() - 1) : asked;
    }

    private CompletionStage<Slice> await(Pending read, long seenEnd) {
        CompletableFuture<Slice> result = new CompletableFuture<>();
        Runnable stopWaiting = watch(read, seenEnd, result);
        TimerWheel.Timeout timeout =
                timers.schedule(ticker.nanos() + read.asked.waitNanos(), () -> retry(read.withoutWaiting(), result));
        var unused = result.whenComplete((slice, error) -> {
            timeout.cancel();
            stopWaiting.run();
        });
        return result;
    }

    private Runnable watch(Pending read, long seenEnd, CompletableFuture<Slice> result) {
        return partitions
                .partition(read.id)
                .log()
                .awaitMessages(seenEnd, () -> read.forward.continuation().execute(() -> retry(read, result)));
    }

    private void retry(Pending read, CompletableFuture<Slice> result) {
        try {
            Attempt attempt = attempt(read);
            if (attempt.done != null) {
                attempt.done.whenComplete((slice, error) -> {
                    if (error == null) {
                        result.complete(slice);
                    } else {
                        result.completeExceptionally(error);
                    }
                });
            } else if (!result.isDone()) {
                Runnable stopWaiting = watch(read, attempt.seenEnd, result);
                var unused = result.whenComplete((slice, error) -> stopWaiting.run());
            }
        } catch (RuntimeException e) {
            result.completeExceptionally(e);
        }
    }
}
