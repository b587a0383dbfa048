// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.message;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.talos.common.error.TalosException;
import org.talos.server.auth.Permissions;
import org.talos.server.log.Block;
import org.talos.server.log.Put;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.serving.AppendResult;
import org.talos.server.partition.serving.BlockMapping;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.partition.serving.PartitionRoutes.Route;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.CallResult;
import org.talos.server.service.call.Deadlines;
import org.talos.server.service.call.PartitionName;
import org.talos.server.service.call.Throttle;
import org.talos.server.service.call.TopicLookup;
import org.talos.server.storage.LogId;
import org.talos.server.tracing.Trace;
import org.talos.server.tracing.Tracing;
import org.talos.server.tracing.Tracing.Subject;
import org.talos.server.tracing.Tracing.Work;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.Permission;
import org.talos.thrift.PutMessageRequest;
import org.talos.thrift.PutMessageResponse;

/** The call putMessage, and puts of other front ends. Refusals happen on the caller's thread. Thread-safe. */
public final class PutCalls {
    private static final int MAX_BLOCKS = 1_000;

    private final TopicLookup topics;
    private final PartitionRoutes routes;
    private final Deadlines deadlines;
    private final Throttle throttle;
    private final Spans spans;

    public PutCalls(
            TopicLookup topics, PartitionRoutes routes, Deadlines deadlines, Throttle throttle, Tracing tracing) {
        this.topics = topics;
        this.routes = routes;
        this.deadlines = deadlines;
        this.throttle = throttle;
        spans = new Spans(tracing);
    }

    /** Answers putMessage once the put is durable. */
    public CompletionStage<CallResult> putMessage(CallContext context, PutMessageRequest request) {
        TopicRecord topic = topics.byPartition(request.getTopicAndPartition());
        LogId id = writable(context, topic, request.getTopicAndPartition().getPartitionId());
        Optional<Put.Key> key = PutNames.key(context, request.getSequenceId());
        boolean isUnique = key.isPresent() || context.client().hasUniqueSequenceIds();
        Put put = new Put(
                PutNames.bounded(key.map(Put.Key::sequenceId).orElse(request.getSequenceId())),
                isUnique ? Put.Origin.UNIQUE : Put.Origin.REPEATED,
                blocks(context, request));
        long deadline = deadlines.of(context, request.isSetTimeoutTimestamp(), request.getTimeoutTimestamp());
        Route route = routes.to(id);
        throttle.put(context, topic, bytes(put));
        ForwardContext forward = new ForwardContext(context.principal().turnId(), deadline, context.continuation());
        return put(context, topic, route, id, put, forward)
                .thenApply(stored -> answer(request.getSequenceId(), route, StoredPut.of(stored)));
    }

    /**
     * Returns a put of one block by a front end that speaks no Thrift; with a key, a repetition is not stored again.
     */
    public CompletionStage<StoredPut> put(
            CallContext context, PartitionName partition, MessageBlock block, Optional<Put.Key> key) {
        TopicRecord topic = topics.byPartition(partition);
        LogId id = writable(context, topic, partition.number());
        Put put = new Put(
                PutNames.bounded(key.map(Put.Key::sequenceId).orElse("")),
                key.isPresent() ? Put.Origin.UNIQUE : Put.Origin.REPEATED,
                List.of(BlockMapping.toLog(traced(context, block))));
        Route route = routes.to(id);
        throttle.put(context, topic, bytes(put));
        ForwardContext forward =
                new ForwardContext(context.principal().turnId(), context.deadlineNanos(), context.continuation());
        return put(context, topic, route, id, put, forward).thenApply(StoredPut::of);
    }

    private CompletionStage<AppendResult> put(
            CallContext context, TopicRecord topic, Route route, LogId id, Put put, ForwardContext forward) {
        if (!spans.areMade()) {
            return route.to().put(id, put, forward);
        }
        int messages = put.blocks().stream().mapToInt(Block::messages).sum();
        return spans.around(
                new Subject(Work.PUT, topic.name(), id.partition(), messages),
                context.trace(),
                route,
                () -> route.to().put(id, put, forward));
    }

    /** Returns the block with the trace headers of the request, unless it has its own. */
    private static MessageBlock traced(CallContext context, MessageBlock block) {
        Trace trace = context.trace();
        if (trace != null && !block.isSetTraceparent()) {
            trace.sent().ifPresent(block::setTraceparent);
        }
        return block;
    }

    /** Returns whether this server serves the partition. */
    public boolean isServedHere(PartitionName partition) {
        TopicRecord topic = topics.byPartition(partition);
        return !routes.to(new LogId(topic.topicId(), partition.number())).transferred();
    }

    private static CallResult answer(String sequenceId, Route route, StoredPut stored) {
        PutMessageResponse response = new PutMessageResponse(sequenceId);
        if (route.transferred()) {
            response.setIsTransfer(true);
        }
        return new CallResult(response, null, stored.delivery());
    }

    private static long bytes(Put put) {
        long bytes = 0;
        for (Block block : put.blocks()) {
            bytes += block.bytes().remaining();
        }
        return bytes;
    }

    private LogId writable(CallContext context, TopicRecord topic, int partition) {
        Permissions.require(topic, context.principal(), Permission.PUT_MESSAGE);
        return new LogId(topic.topicId(), partition);
    }

    private static List<Block> blocks(CallContext context, PutMessageRequest request) {
        List<MessageBlock> given = request.getMessageBlocks();
        if (given.isEmpty() || given.size() > MAX_BLOCKS) {
            throw TalosException.refused(
                    ErrorCode.MESSAGE_INCOMPLETE, given.size() + " blocks (expected: 1.." + MAX_BLOCKS + ")");
        }
        List<Block> blocks = new ArrayList<>(given.size());
        long messages = 0;
        for (MessageBlock each : given) {
            Block block = BlockMapping.toLog(traced(context, each));
            messages += block.messages();
            blocks.add(block);
        }
        if (messages != request.getMessageNumber()) {
            throw TalosException.refused(
                    ErrorCode.MESSAGE_INCOMPLETE,
                    "blocks of " + messages + " messages in a put that claims " + request.getMessageNumber());
        }
        if (messages > Put.MAX_MESSAGES) {
            throw TalosException.refused(
                    ErrorCode.MESSAGE_INCOMPLETE,
                    "a put of " + messages + " messages (expected: at most " + Put.MAX_MESSAGES + "): split it");
        }
        return blocks;
    }
}
