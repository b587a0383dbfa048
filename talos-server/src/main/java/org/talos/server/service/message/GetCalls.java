// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.message;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.talos.common.error.TalosException;
import org.talos.server.auth.Permissions;
import org.talos.server.config.ServiceConfig;
import org.talos.server.log.BlockLimits;
import org.talos.server.log.Slice;
import org.talos.server.log.StoredBlock;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.serving.BlockMapping;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.MessageReads;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.partition.serving.PartitionRoutes.Route;
import org.talos.server.partition.serving.ReadRequest;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.CallResult;
import org.talos.server.service.call.Deadlines;
import org.talos.server.service.call.Throttle;
import org.talos.server.service.call.TopicLookup;
import org.talos.server.storage.LogId;
import org.talos.server.tracing.Tracing;
import org.talos.server.tracing.Tracing.Subject;
import org.talos.server.tracing.Tracing.Work;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetMessageResponse;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.Permission;

/** The call getMessage, answered in a form that the SDK can read, and reads of other front ends. Thread-safe. */
public final class GetCalls {
    private final TopicLookup topics;
    private final PartitionRoutes routes;
    private final Decoding decoding;
    private final Deadlines deadlines;
    private final Throttle throttle;
    private final ServiceConfig config;
    private final Ticker ticker;
    private final Spans spans;
    private final LegacySdkReads legacySdkReads = new LegacySdkReads();

    /** The limits of a read: its time, its rate, and its size. Immutable. */
    public record Bounds(Deadlines deadlines, Throttle throttle, ServiceConfig config) {}

    public GetCalls(
            TopicLookup topics,
            PartitionRoutes routes,
            Decoding decoding,
            Bounds bounds,
            Ticker ticker,
            Tracing tracing) {
        this.topics = topics;
        this.routes = routes;
        this.decoding = decoding;
        deadlines = bounds.deadlines;
        throttle = bounds.throttle;
        config = bounds.config;
        this.ticker = ticker;
        spans = new Spans(tracing);
    }

    /** Answers getMessage. */
    public CompletionStage<CallResult> getMessage(CallContext context, GetMessageRequest request) {
        TopicRecord topic = topics.byPartition(request.getTopicAndPartition());
        Permissions.require(topic, context.principal(), Permission.GET_MESSAGE);
        if (request.getMessageOffset() < MessageReads.LATEST) {
            throw TalosException.refused(
                    ErrorCode.UNEXPECTED_MESSAGE_OFFSET,
                    "offset " + request.getMessageOffset() + " (expected: 0 or more, -1 or -2)");
        }
        LogId id = new LogId(topic.topicId(), request.getTopicAndPartition().getPartitionId());
        long deadline = deadlines.of(context, request.isSetTimeoutTimestamp(), request.getTimeoutTimestamp());
        BlockLimits limits = limits(request.getMaxGetMessageNumber(), request.getMaxGetMessageBytes());
        long wait = Math.min(config.maxLongPoll().toNanos(), (deadline - ticker.nanos()) / 2);
        ForwardContext forward =
                new ForwardContext(context.principal().turnId(), deadline, context.continuation(), context.presence());
        Route route = routes.to(id);
        ReadRequest read = new ReadRequest(request.getMessageOffset(), limits, 0, wait);
        return throttle.get(
                        context,
                        topic,
                        wait,
                        () -> stillPermitted(
                                read(context, topic, route, id, read, forward),
                                context,
                                () -> topics.byPartition(request.getTopicAndPartition())),
                        GetCalls::bytes)
                .thenCompose(slice -> blocks(context, id, slice, limits, deadline)
                        .thenApply(blocks -> answer(request, route.transferred(), slice, blocks)));
    }

    private CompletionStage<List<MessageBlock>> blocks(
            CallContext context, LogId id, Slice slice, BlockLimits limits, long deadlineNanos) {
        if (LegacySdkReads.cannotRead(context.client(), slice)) {
            return decoding.run(
                    id,
                    deadlineNanos,
                    context.principal().turnId(),
                    bytes(slice),
                    memory -> legacySdkReads.readable(context.client(), id, slice, limits.bytes(), memory));
        }
        List<MessageBlock> blocks = new ArrayList<>(slice.blocks().size());
        for (StoredBlock each : slice.blocks()) {
            blocks.add(BlockMapping.toWire(each));
        }
        return CompletableFuture.completedFuture(blocks);
    }

    /** Returns the limits of a read: as requested, clamped to the server's. */
    public BlockLimits limits(int messages, long bytes) {
        return new BlockLimits(
                Math.max(1, Math.min(messages, config.maxGetMessages())),
                Math.max(1, Math.min(bytes, config.maxGetBytes())));
    }

    /** Reads for a front end that does not speak Thrift; the wait extends the deadline. */
    public CompletionStage<Fetched> fetch(CallContext context, Fetch fetch) {
        TopicRecord topic = topics.byPartition(fetch.partition());
        Permissions.require(topic, context.principal(), Permission.GET_MESSAGE);
        LogId id = new LogId(topic.topicId(), fetch.partition().number());
        Route route = routes.to(id);
        long wait = longestWait(fetch, route);
        BlockLimits limits = limits(fetch.maxMessages(), fetch.maxBytes());
        ReadRequest read = new ReadRequest(fetch.offset(), limits, fetch.minBytes(), wait);
        ForwardContext forward = new ForwardContext(
                context.principal().turnId(),
                context.deadlineNanos() + wait,
                context.continuation(),
                context.presence());
        return throttle.get(
                        context,
                        topic,
                        wait,
                        () -> stillPermitted(
                                read(context, topic, route, id, read, forward),
                                context,
                                () -> topics.byPartition(fetch.partition())),
                        GetCalls::bytes)
                .thenApply(slice -> Fetched.of(id, slice));
    }

    private CompletionStage<Slice> read(
            CallContext context, TopicRecord topic, Route route, LogId id, ReadRequest read, ForwardContext forward) {
        if (!spans.areMade()) {
            return route.to().read(id, read, forward);
        }
        return spans.around(
                new Subject(Work.GET, topic.name(), id.partition(), -1),
                context.trace(),
                route,
                () -> route.to().read(id, read, forward));
    }

    /** A read that follows a log of this server ends by its presence; a read at another server cannot be ended. */
    private long longestWait(Fetch fetch, Route route) {
        Duration longest = fetch.follows() && !route.transferred() ? fetch.longestWait() : config.maxRestWait();
        return Math.min(fetch.longestWait().toNanos(), longest.toNanos());
    }

    /** Checks caller and right once more after a read that has waited: either may have been removed since. */
    private static CompletionStage<Slice> stillPermitted(
            CompletionStage<Slice> read, CallContext context, Supplier<TopicRecord> topic) {
        if (read.toCompletableFuture().isDone()) {
            return read;
        }
        return read.thenApply(slice -> {
            Permissions.require(topic.get(), context.known().get(), Permission.GET_MESSAGE);
            return slice;
        });
    }

    private static long bytes(Slice slice) {
        long bytes = 0;
        for (StoredBlock stored : slice.blocks()) {
            bytes += stored.bytes().remaining();
        }
        return bytes;
    }

    private static CallResult answer(
            GetMessageRequest request, boolean transferred, Slice slice, List<MessageBlock> blocks) {
        int messages = 0;
        long end = slice.durableEnd();
        for (MessageBlock block : blocks) {
            messages += block.getMessageNumber();
            end = block.getStartMessageOffset() + block.getMessageNumber();
        }
        GetMessageResponse response = new GetMessageResponse(blocks, messages, request.getSequenceId());
        if (transferred) {
            response.setIsTransfer(true);
        }
        if (request.isShowUnHandledMessageNumber()) {
            response.setUnHandledMessageNumber(slice.durableEnd() - end);
        }
        return CallResult.of(response);
    }
}
