// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.Caller;
import org.talos.server.service.call.ControlPool;
import org.talos.server.service.call.DiskRoom;
import org.talos.server.service.call.RequestCheck;
import org.talos.server.service.list.ListQuery;
import org.talos.thrift.CreateTopicRequest;
import org.talos.thrift.CreateTopicResponse;
import org.talos.thrift.DescribeTopicResponse;
import org.talos.thrift.GetDescribeInfoResponse;
import org.talos.thrift.ListTopicsResponse;
import org.talos.thrift.TopicAttribute;
import org.talos.thrift.TopicTalosResourceName;

/**
 * Creates, lists, describes, changes, copies, and deletes topics, for every front end.
 *
 * <p>Thread-safe; nothing blocks. A failed operation completes with a TalosException.
 */
public final class TopicOperations {
    private static final String OWN = "topics"; // the keys of lists, of which a user reads one after another
    private static final String BOUND = "bound topics";
    private static final String FOUND = "found topics";

    private final TopicCalls calls;
    private final TopicViews views;
    private final TopicLists lists;
    private final ControlPool control;
    private final ControlPool topics;
    private final DiskRoom room;
    private final PermissionOperations permissions;
    private final PartitionViews partitions;

    /**
     * Groups the pools that the operations run in. Immutable.
     *
     * @param control runs work that may block
     * @param topics runs work that may also wait for other servers
     */
    public record Pools(ControlPool control, ControlPool topics) {}

    /** Takes the calls, views, and lists to run in the pools. */
    public TopicOperations(
            TopicCalls calls,
            TopicViews views,
            TopicLists lists,
            Pools pools,
            DiskRoom room,
            PermissionOperations permissions,
            PartitionViews partitions) {
        this.calls = calls;
        this.views = views;
        this.lists = lists;
        this.control = pools.control();
        this.topics = pools.topics();
        this.room = room;
        this.permissions = permissions;
        this.partitions = partitions;
    }

    /** Returns the operations on permissions of topics. */
    public PermissionOperations permissions() {
        return permissions;
    }

    /** Returns the views of a topic's partitions. */
    public PartitionViews partitions() {
        return partitions;
    }

    /** Creates a topic of these attributes for the caller. */
    public CompletionStage<CreateTopicResponse> create(CallContext context, String topic, TopicAttribute attribute) {
        return create(context, new CreateTopicRequest(topic, attribute));
    }

    /** Creates a topic with the quota, permissions, and owner of a request of the contract. */
    public CompletionStage<CreateTopicResponse> create(CallContext context, CreateTopicRequest request) {
        return context.guarded(() -> {
            RequestCheck.check(request);
            room.require();
            return topics.run(context, request.getTopicName(), caller -> calls.createTopic(caller, request));
        });
    }

    /** Creates a topic with the owner, settings, permissions, and quota of another. */
    public CompletionStage<CreateTopicResponse> copy(CallContext context, TopicTalosResourceName topic, String copy) {
        return context.guarded(() -> {
            room.require();
            return topics.run(context, copy, caller -> calls.copyTopic(caller, topic, copy));
        });
    }

    /** Deletes a topic with its messages and groups, and creates it again with all else that it had. */
    public CompletionStage<CreateTopicResponse> recreate(CallContext context, TopicTalosResourceName topic) {
        return context.guarded(() -> {
            room.require();
            return topics.run(context, TopicKeys.of(topic), caller -> calls.recreateTopic(caller, topic));
        });
    }

    /** Describes a topic in full; fails with PARTITION_NOT_SERVING if a partition of it is not served. */
    public CompletionStage<DescribeTopicResponse> describe(CallContext context, String topic) {
        return context.guarded(() -> topics.run(context, topic, caller -> views.describeTopic(caller, topic)));
    }

    /** Returns a topic's resource name and number of partitions. Reads memory only. */
    public CompletionStage<GetDescribeInfoResponse> info(CallContext context, String topic) {
        return context.guarded(
                () -> CompletableFuture.completedFuture(views.getDescribeInfo(Caller.of(context), topic)));
    }

    /** Lists the topics of the caller and its orgs. */
    public CompletionStage<ListTopicsResponse> list(CallContext context) {
        return context.guarded(() -> control.run(context, OWN, views::listTopics));
    }

    /** Lists the topics that the caller may use without owning them. */
    public CompletionStage<ListTopicsResponse> bound(CallContext context) {
        return context.guarded(() -> control.run(context, BOUND, views::getBindTopics));
    }

    /** Searches and sorts the topics that the caller owns or may use, and returns a page of them. */
    public CompletionStage<TopicList> find(CallContext context, TopicSort sort, ListQuery query) {
        return context.guarded(() -> control.run(context, FOUND, caller -> lists.find(caller, sort, query)));
    }

    /** Changes the attributes that are set. */
    public CompletionStage<@Nullable Void> change(
            CallContext context, TopicTalosResourceName topic, TopicAttribute attribute) {
        return context.guarded(() -> {
            RequestCheck.check(attribute);
            return topics.change(
                    context, TopicKeys.of(topic), caller -> calls.changeTopicAttribute(caller, topic, attribute));
        });
    }

    /** Deletes a topic: it is not found any more when this completes; its data is deleted later. */
    public CompletionStage<@Nullable Void> delete(CallContext context, TopicTalosResourceName topic) {
        return context.guarded(
                () -> topics.change(context, TopicKeys.of(topic), caller -> calls.deleteTopic(caller, topic)));
    }
}
