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
import org.talos.server.log.BlockLimits;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.Slice;
import org.talos.server.log.StoredBlock;
import org.talos.server.partition.PartitionManager;
import org.talos.server.runtime.MemoryBudget;
import org.talos.server.runtime.Ticker;
import org.talos.server.runtime.TimerWheel;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.MessageOffset;

/**
 * Reads messages: from memory on the caller's thread, else from storage in the pool; at the end of the log it waits a
 * while for more, without a thread.
 *
 * <p>Thread-safe.
 */
public final class MessageReads {
    public static final long START = MessageOffset.START_OFFSET.getValue();
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

    /**
     * What is asked. Immutable.
     *
     * @param offset or one of the two special ones
     * @param minBytes less than that is worth waiting for more
     * @param waitNanos longest that it waits
     * @param deadlineNanos by when storage is to have been asked
     */
    record Read(LogId id, long offset, BlockLimits limits, long minBytes, long waitNanos, long deadlineNanos) {
        Read withoutWaiting() {
            return new Read(id, offset, limits, 0, 0, deadlineNanos);
        }

        boolean isEnough(Slice slice) {
            long bytes = 0;
            long end = slice.durableEnd();
            for (StoredBlock block : slice.blocks()) {
                bytes += block.bytes().remaining();
                end = block.endOffset();
            }
            return waitNanos <= 0 || (bytes > 0 && bytes >= minBytes) || end < slice.durableEnd();
        }
    }

    /** What a look at the log came to: done, or worth waiting for more than was there. */
    private record Look(@Nullable CompletionStage<Slice> done, long seenEnd) {}

    /** Completes with what is there, or with nothing once the wait is over. */
    CompletionStage<Slice> read(Read read) {
        Look look = look(read);
        return look.done == null ? await(read, look.seenEnd) : look.done;
    }

    /**
     * Completes once any of the logs has something at or behind its offset, or is closed; at the latest at the instant.
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

    private Look look(Read read) {
        PartitionLog log = partitions.partition(read.id).log();
        long offset = place(read.offset, log);
        Optional<Slice> slice = log.readFromMemory(offset, read.limits);
        if (slice.isEmpty()) {
            return new Look(readFromStorage(read, log, offset), 0);
        }
        return read.isEnough(slice.get())
                ? new Look(CompletableFuture.completedFuture(slice.get()), 0)
                : new Look(null, slice.get().durableEnd());
    }

    /**
     * Only a reader that catches up finds its messages no longer in memory. What it reads counts until it has been
     * looked at, when it counts as what is made of it.
     */
    private CompletionStage<Slice> readFromStorage(Read read, PartitionLog log, long offset) {
        long bytes = read.limits.bytes();
        if (!budget.tryReserve(bytes)) {
            throw TalosException.refused(
                    ErrorCode.EXCESSIVE_PENDING_MESSAGE, "the server has no memory for reading from storage now");
        }
        return pool.run(
                read.id,
                Priority.LOW,
                read.deadlineNanos,
                () -> log.read(offset, read.limits),
                () -> budget.release(bytes));
    }

    /** The last block stands for «latest»: what came between two polls would else be lost to its reader. */
    private static long place(long asked, PartitionLog log) {
        if (asked == START) {
            return log.startOffset();
        }
        return asked == LATEST ? Math.max(log.startOffset(), log.durableEnd() - 1) : asked;
    }

    private CompletionStage<Slice> await(Read read, long seenEnd) {
        CompletableFuture<Slice> result = new CompletableFuture<>();
        Runnable stopWaiting = watch(read, seenEnd, result);
        TimerWheel.Timeout timeout =
                timers.schedule(ticker.nanos() + read.waitNanos, () -> retry(read.withoutWaiting(), result));
        var unused = result.whenComplete((slice, error) -> {
            timeout.cancel();
            stopWaiting.run();
        });
        return result;
    }

    private Runnable watch(Read read, long seenEnd, CompletableFuture<Slice> result) {
        return partitions.partition(read.id).log().awaitMessages(seenEnd, () -> retry(read, result));
    }

    private void retry(Read read, CompletableFuture<Slice> result) {
        try {
            Look look = look(read);
            if (look.done != null) {
                look.done.whenComplete((slice, error) -> {
                    if (error == null) {
                        result.complete(slice);
                    } else {
                        result.completeExceptionally(error);
                    }
                });
            } else if (!result.isDone()) {
                Runnable stopWaiting = watch(read, look.seenEnd, result);
                var unused = result.whenComplete((slice, error) -> stopWaiting.run());
            }
        } catch (RuntimeException e) {
            result.completeExceptionally(e);
        }
    }
}
