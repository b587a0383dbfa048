// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.dispatch.Priority;
import org.talos.server.log.EndWait;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.Slice;
import org.talos.server.partition.PartitionManager;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogId;
import org.talos.thrift.MessageOffset;

/**
 * Reads messages: from memory on the caller's thread, otherwise from storage in the pool. A read at the end of the log
 * waits for more without a thread, and is answered by the readers' threads. It ends once its client is gone.
 *
 * <p>Thread-safe.
 */
public final class MessageReads {
    /** Stands for the offset of the oldest message. */
    public static final long START = MessageOffset.START_OFFSET.getValue();
    /** Stands for the offset of the newest message. */
    public static final long LATEST = MessageOffset.LATEST_OFFSET.getValue();

    private final PartitionManager partitions;
    private final GetPool pool;
    private final ReplayPace pace;
    private final TimerWheel timers;
    private final Ticker ticker;
    private final LongWaits waits;

    public MessageReads(
            PartitionManager partitions,
            GetPool pool,
            ReplayPace pace,
            TimerWheel timers,
            Ticker ticker,
            LongWaits waits) {
        this.partitions = partitions;
        this.pool = pool;
        this.pace = pace;
        this.timers = timers;
        this.ticker = ticker;
        this.waits = waits;
    }

    /** A read of one partition of this server, with the deadline of its answer. Immutable. */
    private record Pending(LogId id, ReadRequest asked, ForwardContext forward) {
        Pending until(long deadlineNanos) {
            return new Pending(id, asked, forward.until(deadlineNanos));
        }

        Pending withoutWaiting() {
            return new Pending(id, asked.withoutWaiting(), forward);
        }
    }

    /**
     * The result of one attempt. Immutable.
     *
     * @param done the messages; null if there are too few, and waiting may find more
     * @param found number of messages found
     * @param end of the log, before it was read
     */
    private record Attempt(
            @Nullable CompletionStage<Slice> done,
            PartitionLog log,
            @Nullable Slice found,
            PartitionLog.End end) {}

    /**
     * Completes with the messages that are there, or with none once the wait is over.
     *
     * @throws TalosException REQUEST_PROCESS_TIMEOUT: its client is gone, whether memory has the messages or not
     */
    CompletionStage<Slice> read(LogId id, ReadRequest asked, ForwardContext forward) {
        if (forward.deadlineNanos() - ticker.nanos() <= 0) {
            throw PoolTask.late();
        }
        long place = place(asked.offset(), partitions.partition(id).readable());
        Pending read = new Pending(id, asked.from(place), forward);
        Attempt attempt = attempt(read);
        return attempt.done == null ? new WaitingRead(read).begin(attempt) : attempt.done;
    }

    /**
     * Completes once any of the logs has a message at or behind its offset, or is closed; at the latest at the instant.
     */
    CompletionStage<@Nullable Void> awaitAny(Map<LogId, Long> offsets, long untilNanos) {
        CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
        Map<PartitionLog, EndWait> ends = new LinkedHashMap<>();
        offsets.forEach((id, offset) ->
                ends.put(partitions.partition(id).readable(), new EndWait(offset, () -> result.complete(null))));
        ends.forEach(PartitionLog::await);
        TimerWheel.Timeout timeout = timers.schedule(
                untilNanos,
                ends.isEmpty()
                        ? () -> result.complete(null)
                        : ends.values().iterator().next()::wake);
        var unused = result.whenComplete((nothing, error) -> {
            timeout.cancel();
            ends.values().forEach(EndWait::cancel);
        });
        waits.onEnd(result, () -> result.complete(null));
        return result;
    }

    /** Does the same for another server's reader, at the latest by the deadline. */
    CompletionStage<@Nullable Void> awaitAny(Map<LogId, Long> offsets, long waitNanos, ForwardContext forward) {
        long left = forward.deadlineNanos() - ticker.nanos();
        return awaitAny(offsets, ticker.nanos() + Math.min(waitNanos, left));
    }

    private Attempt attempt(Pending read) {
        PartitionLog log = partitions.partition(read.id).readable();
        PartitionLog.End end = log.end();
        Optional<Slice> slice = log.readFromMemory(read.asked.offset(), read.asked.limits());
        if (slice.isEmpty()) {
            return new Attempt(readFromStorage(read, log), log, null, end);
        }
        CompletionStage<Slice> done =
                read.asked.isEnough(slice.get()) ? CompletableFuture.completedFuture(slice.get()) : null;
        return new Attempt(done, log, slice.get(), end);
    }

    /**
     * Reads in the pool, at the pace of replays: only a reader that catches up finds its messages no longer in memory.
     * The bytes of each block are reserved before it is read, until they were turned into the answer, which has a
     * reservation of its own.
     */
    private CompletionStage<Slice> readFromStorage(Pending read, PartitionLog log) {
        return pace.read(
                read.forward.deadlineNanos(),
                read.forward.continuation(),
                () -> pool.run(
                        read.id,
                        Priority.LOW,
                        read.forward.deadlineNanos(),
                        read.forward.caller(),
                        memory -> log.read(read.asked.offset(), read.asked.limits(), memory::tryReserve)));
    }

    /** "Latest" is the last message: otherwise a reader would miss messages that arrive between two of its gets. */
    private static long place(long asked, PartitionLog log) {
        if (asked == START) {
            return log.startOffset();
        }
        return asked == LATEST ? Math.max(log.startOffset(), log.durableEnd() - 1) : asked;
    }

    /**
     * A read that found too little. It holds no messages: it is woken when the missing ones are there, or when its time
     * is over, and then reads from the beginning. Both wake it on a thread of the readers.
     *
     * <p>Thread-safe.
     */
    private final class WaitingRead {
        private final Pending read;
        private final CompletableFuture<Slice> result = new CompletableFuture<>();
        private final long graceNanos; // from its last wake-up to its deadline
        private volatile @Nullable EndWait wait; // the last one
        private volatile boolean isOver;

        WaitingRead(Pending read) {
            this.read = read;
            graceNanos = read.forward.deadlineNanos() - ticker.nanos() - read.asked.waitNanos();
        }

        CompletionStage<Slice> begin(Attempt first) {
            TimerWheel.Timeout timeout = timers.schedule(ticker.nanos() + read.asked.waitNanos(), this::endWait);
            Runnable noMatter = read.forward.presence().onGone(this::endWait);
            var unused = result.whenComplete((slice, error) -> {
                timeout.cancel();
                noMatter.run();
            });
            waits.onEnd(result, this::endWait);
            follow(first);
            return result;
        }

        private void endWait() {
            isOver = true;
            wakeIfOver();
        }

        private void wakeIfOver() {
            EndWait last = wait;
            if (isOver && last != null) {
                last.wake();
            }
        }

        private void follow(Attempt attempt) {
            if (attempt.done != null) {
                var unused = attempt.done.whenComplete(this::end);
            } else if (attempt.found != null) {
                EndWait next =
                        read.asked.waitAfter(attempt.found, attempt.end, read.forward.continuation(), this::again);
                wait = next; // before it can run, which may make it wait again
                attempt.log.await(next);
                wakeIfOver();
            }
        }

        private void again() {
            try {
                Pending now = read.until(Math.min(read.forward.deadlineNanos(), ticker.nanos() + graceNanos));
                follow(attempt(isOver ? now.withoutWaiting() : now));
            } catch (RuntimeException | Error e) { // no wait is left that would try again
                result.completeExceptionally(e);
            }
        }

        private void end(@Nullable Slice slice, @Nullable Throwable error) {
            if (error == null) {
                result.complete(slice);
            } else {
                result.completeExceptionally(error);
            }
        }
    }
}
