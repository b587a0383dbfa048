// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.talos.common.error.TalosException;
import org.talos.server.auth.Permissions;
import org.talos.server.config.ServiceConfig;
import org.talos.server.dispatch.Priority;
import org.talos.server.log.BlockLimits;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.Slice;
import org.talos.server.log.StoredBlock;
import org.talos.server.metadata.TopicRecord;
import org.talos.server.partition.PartitionManager;
import org.talos.server.runtime.Ticker;
import org.talos.server.runtime.TimerWheel;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetMessageResponse;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageOffset;
import org.talos.thrift.Permission;

/**
 * getMessage: from memory on the caller's thread, else from storage in the pool; at the end of the log it waits a while
 * for a message, without a thread.
 *
 * <p>Thread-safe.
 */
final class GetCalls {
    private static final long START = MessageOffset.START_OFFSET.getValue();
    private static final long LATEST = MessageOffset.LATEST_OFFSET.getValue();

    private final TopicLookup topics;
    private final PartitionManager partitions;
    private final GetPool pool;
    private final Deadlines deadlines;
    private final ServiceConfig config;
    private final TimerWheel timers;
    private final Ticker ticker;

    GetCalls(
            TopicLookup topics,
            PartitionManager partitions,
            GetPool pool,
            Deadlines deadlines,
            ServiceConfig config,
            TimerWheel timers,
            Ticker ticker) {
        this.topics = topics;
        this.partitions = partitions;
        this.pool = pool;
        this.deadlines = deadlines;
        this.config = config;
        this.timers = timers;
        this.ticker = ticker;
    }

    /** A get whose place is known. Immutable. */
    private record Get(
            LogId id, GetMessageRequest request, ClientInfo client, BlockLimits limits, long deadlineNanos) {}

    CompletionStage<CallResult> getMessage(CallContext context, GetMessageRequest request) {
        TopicRecord topic = topics.byPartition(request.getTopicAndPartition());
        Permissions.require(topic, context.principal(), Permission.GET_MESSAGE);
        if (request.getMessageOffset() < LATEST) {
            throw TalosException.refused(
                    ErrorCode.UNEXPECTED_MESSAGE_OFFSET,
                    "offset " + request.getMessageOffset() + " (expected: 0 or more, -1 or -2)");
        }
        BlockLimits limits = new BlockLimits(
                Math.max(1, Math.min(request.getMaxGetMessageNumber(), config.maxGetMessages())),
                Math.max(1, Math.min(request.getMaxGetMessageBytes(), config.maxGetBytes())));
        LogId id = new LogId(topic.topicId(), request.getTopicAndPartition().getPartitionId());
        long deadline = deadlines.of(context, request.isSetTimeoutTimestamp(), request.getTimeoutTimestamp());
        Get get = new Get(id, request, context.client(), limits, deadline);
        Optional<CompletionStage<CallResult>> now = tryNow(get);
        return now.isPresent() ? now.get() : await(get);
    }

    /** The messages, from memory or on their way from storage; empty if there are none yet. */
    private Optional<CompletionStage<CallResult>> tryNow(Get get) {
        PartitionLog log = partitions.partition(get.id).log();
        long offset = place(get.request.getMessageOffset(), log);
        Optional<Slice> slice = log.readFromMemory(offset, get.limits);
        if (slice.isEmpty()) {
            // Only a reader that catches up finds its messages no longer in memory.
            return Optional.of(
                    pool.run(get.id, Priority.LOW, get.deadlineNanos, () -> answer(get, log.read(offset, get.limits))));
        }
        if (slice.get().blocks().isEmpty()) {
            return Optional.empty();
        }
        if (get.client.isJavaSdk() && slice.get().blocks().stream().anyMatch(OldReaders::cannotRead)) {
            return Optional.of(pool.run(get.id, Priority.NORMAL, get.deadlineNanos, () -> answer(get, slice.get())));
        }
        return Optional.of(CompletableFuture.completedFuture(answer(get, slice.get())));
    }

    /** The last block stands for «latest»: what came between two polls would else be lost to its reader. */
    private static long place(long asked, PartitionLog log) {
        if (asked == START) {
            return log.startOffset();
        }
        return asked == LATEST ? Math.max(log.startOffset(), log.durableEnd() - 1) : asked;
    }

    private CompletionStage<CallResult> await(Get get) {
        long now = ticker.nanos();
        long longest = Math.min(config.maxLongPoll().toNanos(), (get.deadlineNanos - now) / 2);
        if (longest <= 0) {
            return CompletableFuture.completedFuture(empty(get));
        }
        CompletableFuture<CallResult> result = new CompletableFuture<>();
        Runnable stopWaiting = watch(get, result);
        TimerWheel.Timeout timeout = timers.schedule(now + longest, () -> result.complete(empty(get)));
        var unused = result.whenComplete((answer, error) -> {
            timeout.cancel();
            stopWaiting.run();
        });
        return result;
    }

    private Runnable watch(Get get, CompletableFuture<CallResult> result) {
        PartitionLog log = partitions.partition(get.id).log();
        long offset = place(get.request.getMessageOffset(), log);
        return log.awaitMessages(Math.min(offset, log.durableEnd()), () -> wake(get, result));
    }

    private void wake(Get get, CompletableFuture<CallResult> result) {
        try {
            Optional<CompletionStage<CallResult>> now = tryNow(get);
            if (now.isPresent()) {
                now.get().whenComplete((answer, error) -> {
                    if (error == null) {
                        result.complete(answer);
                    } else {
                        result.completeExceptionally(error);
                    }
                });
            } else if (!result.isDone()) {
                Runnable stopWaiting = watch(get, result);
                var unused = result.whenComplete((answer, error) -> stopWaiting.run());
            }
        } catch (RuntimeException e) {
            result.completeExceptionally(e);
        }
    }

    private static CallResult empty(Get get) {
        GetMessageResponse response = new GetMessageResponse(List.of(), 0, get.request.getSequenceId());
        if (get.request.isShowUnHandledMessageNumber()) {
            response.setUnHandledMessageNumber(0);
        }
        return CallResult.of(response);
    }

    private static CallResult answer(Get get, Slice slice) {
        List<MessageBlock> blocks = new ArrayList<>(slice.blocks().size());
        int messages = 0;
        long end = slice.durableEnd();
        for (StoredBlock stored : slice.blocks()) {
            blocks.add(
                    get.client.isJavaSdk() && OldReaders.cannotRead(stored)
                            ? OldReaders.readable(stored)
                            : BlockMapping.toWire(stored));
            messages += stored.block().messages();
            end = stored.endOffset();
        }
        GetMessageResponse response = new GetMessageResponse(blocks, messages, get.request.getSequenceId());
        if (get.request.isShowUnHandledMessageNumber()) {
            response.setUnHandledMessageNumber(slice.durableEnd() - end);
        }
        return CallResult.of(response);
    }
}
