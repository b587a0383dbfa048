// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.common.message.MalformedBlockException;
import org.talos.common.message.MessageBlocks;
import org.talos.server.cluster.Coordinator;
import org.talos.server.dispatch.KeyAffinityExecutor;
import org.talos.server.dispatch.Priority;
import org.talos.server.dispatch.Submission;
import org.talos.server.dispatch.Task;
import org.talos.server.log.Block;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.Put;
import org.talos.server.log.PutTicket;
import org.talos.server.log.StoredBlock;
import org.talos.server.memory.BlockOpening;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;
import org.talos.server.partition.PartitionManager;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.MessageBlock;

/**
 * Runs puts. The accumulated puts of a partition go to its log together, and are answered when they are durable.
 *
 * <p>Thread-safe.
 */
public final class PutPool {
    /** Largest decompressed size of a put's blocks when their messages are counted. */
    private static final long MAX_CHECKED_BYTES = 256L << 20;

    /** Their bytes are held in pieces and whole; of their messages, one at a time. */
    private static final BlockOpening CHECKING = new BlockOpening(MAX_CHECKED_BYTES, 2, 2, 0);

    /** A larger put takes a worker: it would occupy the caller for longer than handing it over does. */
    private static final long LARGEST_OF_CALLER_BYTES = 256 << 10;

    private final KeyAffinityExecutor<LogId, PutTask> executor;
    private final boolean byCaller;

    /**
     * Creates the pool of an executor that runs {@link Runner}.
     *
     * @param byCaller puts without a predecessor run on their caller's thread, as they neither wait there nor take long
     */
    public PutPool(KeyAffinityExecutor<LogId, PutTask> executor, boolean byCaller) {
        this.executor = executor;
        this.byCaller = byCaller;
    }

    CompletionStage<AppendResult> submit(LogId id, Put put, Priority priority, ForwardContext forward) {
        PutTask task = new PutTask(id, put, priority, forward);
        if (byCaller && isSmall(put) && executor.tryRun(task)) {
            return task.result;
        }
        Submission submission = executor.submit(task);
        if (submission != Submission.ACCEPTED) {
            task.result.completeExceptionally(PoolTask.refused(submission));
        }
        return task.result;
    }

    private static boolean isSmall(Put put) {
        long bytes = 0;
        for (Block block : put.blocks()) {
            bytes += block.bytes().remaining();
        }
        return bytes <= LARGEST_OF_CALLER_BYTES;
    }

    /**
     * Appends batches of puts for the executor. Thread-safe.
     *
     * @param checking memory for decompressing blocks to check their contents; empty: they are not checked
     */
    public record Runner(
            PartitionManager partitions, Coordinator coordinator, TimerWheel timers, Optional<MemoryBudget> checking) {
        /** Appends the puts of one partition together. */
        public void run(List<PutTask> batch) {
            List<PutTask> sound = checking.map(memory ->
                            batch.stream().filter(each -> each.isSound(memory)).toList())
                    .orElse(batch);
            if (sound.isEmpty()) {
                return;
            }
            List<Put> puts = new ArrayList<>(sound.size());
            sound.forEach(task -> puts.add(task.put));
            List<PutTicket> tickets;
            try {
                PartitionLog log = partitions.partition(batch.get(0).id).log();
                tickets = log.append(puts);
            } catch (TalosException e) {
                sound.forEach(task -> task.result.completeExceptionally(e));
                return;
            }
            for (int i = 0; i < tickets.size(); i++) {
                sound.get(i).follow(tickets.get(i), coordinator, timers);
            }
        }
    }

    /** A put in the pool. Thread-safe: ends once. */
    public static final class PutTask implements Task<LogId> {
        private final LogId id;
        private final Put put;
        private final Priority priority;
        private final ForwardContext forward;
        private final CompletableFuture<AppendResult> result = new CompletableFuture<>();

        PutTask(LogId id, Put put, Priority priority, ForwardContext forward) {
            this.id = id;
            this.put = put;
            this.priority = priority;
            this.forward = forward;
        }

        CompletionStage<AppendResult> result() {
            return result;
        }

        /** Returns whether its blocks have valid contents; if not, the put has failed. */
        private boolean isSound(MemoryBudget budget) {
            try (RequestMemory memory = RequestMemory.ofWork(budget.of(forward.caller()))) {
                for (Block block : put.blocks()) {
                    MessageBlock wire = BlockMapping.toWire(new StoredBlock(0, 0, block));
                    CHECKING.open(wire, memory, PutTask::check, bytesKept -> 0);
                }
                return true;
            } catch (MalformedBlockException e) {
                result.completeExceptionally(unsound(e));
                return false;
            } catch (RuntimeException e) {
                result.completeExceptionally(e); // the puts of others in the batch are independent
                return false;
            }
        }

        private static TalosException unsound(MalformedBlockException e) {
            return e.isTooLarge()
                    ? TalosException.refused(
                            ErrorCode.REQUEST_TOO_LARGE, "a block too large to be checked: " + e.getMessage())
                    : TalosException.refused(ErrorCode.MESSAGE_INCOMPLETE, e.getMessage());
        }

        private static boolean check(MessageBlock block, long maxPlainBytes) throws MalformedBlockException {
            MessageBlocks.checkContents(block, maxPlainBytes);
            return true;
        }

        /** Completes the result once the put is durable, or with an unknown effect when its deadline passes before. */
        private void follow(PutTicket ticket, Coordinator coordinator, TimerWheel timers) {
            CompletableFuture<Long> done = ticket.firstOffset();
            if (done.isDone()) {
                var unused = done.whenComplete((first, error) -> endOrFail(ticket, coordinator, first, error));
                return;
            }
            boundByDeadline(ticket, timers);
            var unused = done.whenComplete(
                    (first, error) -> forward.resume(() -> endOrFail(ticket, coordinator, first, error)));
        }

        private void endOrFail(
                PutTicket ticket, Coordinator coordinator, @Nullable Long firstOffset, @Nullable Throwable error) {
            try {
                end(ticket, coordinator, firstOffset, error);
            } catch (RuntimeException | Error e) {
                ticket.unanswered();
                failed(e);
            }
        }

        private void boundByDeadline(PutTicket ticket, TimerWheel timers) {
            TimerWheel.Timeout timeout =
                    timers.schedule(forward.deadlineNanos(), () -> forward.resume(() -> endLate(ticket)));
            var unused = result.whenComplete((answer, error) -> timeout.cancel());
        }

        private void endLate(PutTicket ticket) {
            if (result.completeExceptionally(late())) {
                ticket.unanswered();
            }
        }

        private void end(
                PutTicket ticket, Coordinator coordinator, @Nullable Long firstOffset, @Nullable Throwable error) {
            if (error == null && firstOffset != null && coordinator.isConnected()) {
                if (!result.complete(new AppendResult(firstOffset, ticket::unanswered))) {
                    ticket.unanswered();
                }
            } else if (error == null && firstOffset != null) {
                ticket.unanswered();
                result.completeExceptionally(cutOff());
            } else {
                ticket.unanswered();
                result.completeExceptionally(error == null ? new IllegalStateException("no offset") : error);
            }
        }

        /** The put is stored, unless another server owned the partition by then: this server cannot know. */
        private static TalosException cutOff() {
            return new TalosException(
                    ErrorCode.INTERNAL_SERVER_ERROR,
                    Effect.UNKNOWN,
                    "the server lost touch with its cluster while the put was written");
        }

        private static TalosException late() {
            return new TalosException(
                    ErrorCode.INTERNAL_SERVER_ERROR, Effect.UNKNOWN, "the deadline passed while the put was written");
        }

        @Override
        public LogId key() {
            return id;
        }

        @Override
        public Priority priority() {
            return priority;
        }

        @Override
        public long deadlineNanos() {
            return forward.deadlineNanos();
        }

        @Override
        public void expired() {
            result.completeExceptionally(PoolTask.late());
        }

        @Override
        public void stopped() {
            result.completeExceptionally(PoolTask.notServing());
        }

        /** A put that the log has accepted is answered now; if it becomes durable, a repeated one finds it. */
        @Override
        public void failed(Throwable cause) {
            result.completeExceptionally(cause);
        }
    }
}
