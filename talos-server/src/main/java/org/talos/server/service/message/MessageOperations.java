// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.message;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletionStage;
import org.talos.common.error.TalosException;
import org.talos.common.name.Placement;
import org.talos.server.auth.Permissions;
import org.talos.server.log.Put;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.PartitionName;
import org.talos.server.service.call.TopicLookup;
import org.talos.server.service.call.WaitingRequests;
import org.talos.thrift.GetTopicOffsetResponse;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.Permission;
import org.talos.thrift.TopicTalosResourceName;

/**
 * Puts, gets, and deletes messages, and finds offsets, for front ends other than Thrift. The checks are those of the
 * contract's calls. Puts have a key and gets have bounds for which the contract has no field. A failed put, get,
 * deletion, or search of an offset completes with a {@link TalosException}. Nothing blocks.
 *
 * <p>Thread-safe.
 */
public final class MessageOperations {
    private final TopicLookup topics;
    private final WaitingRequests waiting;
    private final PutCalls puts;
    private final GetCalls gets;
    private final OffsetCalls offsets;
    private final MessageDeletions deletions;

    /** @param waiting counts the requests of each user that wait for messages */
    public MessageOperations(
            TopicLookup topics,
            WaitingRequests waiting,
            PutCalls puts,
            GetCalls gets,
            OffsetCalls offsets,
            MessageDeletions deletions) {
        this.topics = topics;
        this.waiting = waiting;
        this.puts = puts;
        this.gets = gets;
        this.offsets = offsets;
        this.deletions = deletions;
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
     * Returns the topic of a name, of which it is checked that the caller may put to it or get from it.
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
     * Returns the current number of partitions of a topic.
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
     * @throws TalosException PARTITION_NOT_SERVING: no server serves it; PARTITION_NOT_EXIST, TOPIC_NOT_EXIST
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
     * @param digest of the put's contents
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

    /** Returns the ends of all partitions of a topic that the caller may get from, by number. */
    public CompletionStage<SortedMap<Integer, PartitionEnds>> ends(CallContext context, String topic) {
        return context.guarded(() -> offsets.ends(context, topic));
    }

    /** One past the newest message that there is. */
    public CompletionStage<Long> endOffset(CallContext context, PartitionName partition) {
        return context.guarded(() -> offsets.endOffset(context, partition));
    }

    /** Deletes the oldest messages of a topic, or reports what would be deleted, by partition. */
    public CompletionStage<List<MessageDeletion.Deleted>> delete(
            CallContext context, String topic, MessageDeletion deletion) {
        return context.guarded(() -> deletions.delete(context, topic, deletion));
    }

    /** Returns first and last offset of each partition of a topic. Partitions of a silent server have none. */
    public CompletionStage<GetTopicOffsetResponse> bounds(CallContext context, TopicTalosResourceName topic) {
        return context.guarded(() -> offsets.getTopicOffset(context, topic));
    }
}
