// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.thrift.TBase;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.common.name.Placement;
import org.talos.server.auth.Permissions;
import org.talos.server.auth.Principal;
import org.talos.server.auth.quota.QuotaGate;
import org.talos.server.log.Put;
import org.talos.server.memory.RequestMemory;
import org.talos.server.metadata.rows.TopicRecord;
import org.talos.server.runtime.Continuation;
import org.talos.server.runtime.Presence;
import org.talos.server.service.admin.ClusterOperations;
import org.talos.server.service.admin.SessionOperations;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.CallResult;
import org.talos.server.service.call.CallTable;
import org.talos.server.service.call.ClientInfo;
import org.talos.server.service.call.Deadlines;
import org.talos.server.service.call.PartitionName;
import org.talos.server.service.call.ServiceName;
import org.talos.server.service.call.TopicLookup;
import org.talos.server.service.call.WaitingRequests;
import org.talos.server.service.group.GroupOperations;
import org.talos.server.service.message.Fetch;
import org.talos.server.service.message.Fetched;
import org.talos.server.service.message.GetCalls;
import org.talos.server.service.message.OffsetCalls;
import org.talos.server.service.message.PartitionEnds;
import org.talos.server.service.message.PutCalls;
import org.talos.server.service.message.StoredPut;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.Permission;

/**
 * The services for front ends that speak no Thrift: the same calls under the same checks, and those about messages with
 * what the contract has no field for. Everything that fails completes with a {@link TalosException}; nothing blocks.
 *
 * <p>Thread-safe.
 */
public final class Operations {
    private final CallTable table;
    private final Deadlines deadlines;
    private final QuotaGate gate;
    private final WaitingRequests waiting;
    private final TopicLookup topics;
    private final PutCalls puts;
    private final GetCalls gets;
    private final OffsetCalls offsets;
    private final GroupOperations groups;
    private final ClusterOperations cluster;
    private final SessionOperations sessions;
    private final OperatorViews operators;

    Operations(
            CallTable table,
            Deadlines deadlines,
            QuotaGate gate,
            WaitingRequests waiting,
            TopicLookup topics,
            PutCalls puts,
            GetCalls gets,
            OffsetCalls offsets,
            GroupOperations groups,
            ClusterOperations cluster,
            SessionOperations sessions,
            OperatorViews operators) {
        this.table = table;
        this.deadlines = deadlines;
        this.gate = gate;
        this.waiting = waiting;
        this.topics = topics;
        this.puts = puts;
        this.gets = gets;
        this.offsets = offsets;
        this.groups = groups;
        this.cluster = cluster;
        this.sessions = sessions;
        this.operators = operators;
    }

    /** Sessions of browsers. */
    public SessionOperations sessions() {
        return sessions;
    }

    /** Returns the views for operators besides the rest. */
    public OperatorViews operators() {
        return operators;
    }

    /** The servers. */
    public ClusterOperations cluster() {
        return cluster;
    }

    /** Consumer groups. */
    public GroupOperations groups() {
        return groups;
    }

    /**
     * A request that begins now, with the default deadline.
     *
     * @param known the caller, as known whenever that is asked: see {@link CallContext#known}
     * @param memory of the request, which it holds until it is answered
     * @throws TalosException THROTTLE_REJECT_ERROR: all clients together make too many
     */
    public CallContext begin(
            Principal principal,
            Supplier<Principal> known,
            ClientInfo client,
            long arrivedNanos,
            @Nullable Continuation continuation,
            Presence presence,
            RequestMemory memory) {
        gate.request();
        return new CallContext(
                principal,
                known,
                client,
                arrivedNanos,
                deadlines.byDefault(arrivedNanos),
                continuation,
                presence,
                memory);
    }

    /**
     * Runs a call of the contract.
     *
     * @param request null for a call without one
     * @param type of its answer
     */
    public <R extends TBase<?, ?>> CompletionStage<R> call(
            CallContext context, ServiceName service, String method, @Nullable TBase<?, ?> request, Class<R> type) {
        return run(context, service, method, request).thenApply(result -> type.cast(result.value()));
    }

    /** Runs a call of the contract that has no answer; completes with null. */
    public CompletionStage<@Nullable Void> call(
            CallContext context, ServiceName service, String method, @Nullable TBase<?, ?> request) {
        return run(context, service, method, request).thenApply(result -> null);
    }

    private CompletionStage<CallResult> run(
            CallContext context, ServiceName service, String method, @Nullable TBase<?, ?> request) {
        return context.guarded(() -> {
            CallTable.Method known = table.find(service, method);
            if (known == null) {
                throw new IllegalArgumentException(service + " has no call " + method);
            }
            if (request != null) {
                RequestCheck.check(request);
            }
            return known.run(context, request);
        });
    }

    /** Returns where the keys of a topic belong that the caller may put to. */
    public Placement placement(CallContext context, String topic) {
        context.principal().requireRightToAct();
        Permissions.require(topics.byEitherName(topic), context.principal(), Permission.PUT_MESSAGE);
        return placement(topic);
    }

    /** Returns where the keys of a topic belong; whether the caller may put is checked with each put. */
    public Placement placement(String topic) {
        TopicRecord found = topics.byEitherName(topic);
        return Placement.of(found.attributes(), found.partitions());
    }

    /**
     * A topic as it is now. Immutable.
     *
     * @param resourceName names it, and no later topic of its name
     */
    public record OpenTopic(String resourceName, int partitions) {}

    /**
     * The topic of a name, of which it is checked that the caller may put to it or get from it.
     *
     * @throws TalosException PERMISSION_DENIED_ERROR, TOPIC_NOT_EXIST
     */
    public OpenTopic openableBy(CallContext context, String topic) {
        context.principal().requireRightToAct();
        TopicRecord found = topics.byEitherName(topic);
        int wanted = Permission.PUT_MESSAGE.getValue() | Permission.GET_MESSAGE.getValue();
        if ((Permissions.bits(found, context.principal()) & wanted) == 0) {
            Permissions.require(found, context.principal(), Permission.GET_MESSAGE);
        }
        return new OpenTopic(found.resourceName(), found.partitions());
    }

    /**
     * Returns how many partitions a topic has now.
     *
     * @throws TalosException TOPIC_NOT_EXIST
     */
    public int partitions(String topic) {
        return topics.byEitherName(topic).partitions();
    }

    /**
     * Checks that there is such a partition.
     *
     * @throws TalosException PARTITION_NOT_EXIST, TOPIC_NOT_EXIST
     */
    public void requirePartition(PartitionName partition) {
        topics.byPartition(partition);
    }

    /**
     * Returns whether this server serves a partition now. Puts that are under way to another one at once may be stored
     * in any order: no order holds between requests to another server.
     *
     * @throws TalosException PARTITION_NOT_SERVING: nobody serves it; PARTITION_NOT_EXIST, TOPIC_NOT_EXIST
     */
    public boolean isServedHere(PartitionName partition) {
        return puts.isServedHere(partition);
    }

    /**
     * Checks that the caller may get from a topic.
     *
     * @throws TalosException PERMISSION_DENIED_ERROR, TOPIC_NOT_EXIST
     */
    public void requireRightToGet(CallContext context, String topic) {
        context.principal().requireRightToAct();
        Permissions.require(topics.byEitherName(topic), context.principal(), Permission.GET_MESSAGE);
    }

    /**
     * Checks that one more request of the caller may wait for messages.
     *
     * @throws TalosException THROTTLE_REJECT_ERROR
     */
    public void requireRoomToWait(CallContext context) {
        waiting.requireRoom(context.principal().userId());
    }

    /** Stores a block. */
    public CompletionStage<StoredPut> put(CallContext context, PartitionName partition, MessageBlock block) {
        return context.guarded(() -> puts.put(context, partition, block, Optional.empty()));
    }

    /**
     * Stores a block once: within the log's window another put of the same key answers the first offset and stores
     * nothing, or is refused with LOCK_VALUE_NOT_EXPECTED if its digest is another.
     *
     * @param key the client's own of this put
     * @param digest of what is put
     */
    public CompletionStage<StoredPut> putOnce(
            CallContext context, PartitionName partition, MessageBlock block, String key, String digest) {
        return context.guarded(() -> puts.put(context, partition, block, Optional.of(new Put.Key(key, digest))));
    }

    /** Reads messages, waiting for them if that was asked. */
    public CompletionStage<Fetched> fetch(CallContext context, Fetch fetch) {
        return context.guarded(() -> gets.fetch(context, fetch));
    }

    /** First offset that was appended at or after a time (ms since 1970), or the end of the log. */
    public CompletionStage<Long> offsetAtTime(CallContext context, PartitionName partition, long timeMillis) {
        return context.guarded(() -> offsets.offsetAtTime(context, partition, timeMillis));
    }

    /** The ends of all partitions of a topic that the caller may get from, by number. */
    public CompletionStage<SortedMap<Integer, PartitionEnds>> ends(CallContext context, String topic) {
        return context.guarded(() -> offsets.ends(context, topic));
    }

    /** One past the newest message that there is. */
    public CompletionStage<Long> endOffset(CallContext context, PartitionName partition) {
        return context.guarded(() -> offsets.endOffset(context, partition));
    }
}
