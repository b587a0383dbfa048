// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.history;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.talos.server.auth.Permissions;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.TopicLookup;
import org.talos.server.service.group.GroupName;
import org.talos.server.service.group.GroupOperations;
import org.talos.thrift.Permission;

/**
 * Figures over time: of the server for administrators, as they show all users' activity; of a topic or a group for
 * users who may see it.
 *
 * <p>Thread-safe; nothing blocks.
 */
public final class HistoryOperations {
    private final TopicLookup topics;
    private final GroupOperations groups;
    private final ServerHistory server;
    private final WatchedHistories watched;

    public HistoryOperations(
            TopicLookup topics, GroupOperations groups, ServerHistory server, WatchedHistories watched) {
        this.topics = topics;
        this.groups = groups;
        this.server = server;
        this.watched = watched;
    }

    /** Returns the figures of a server. */
    public static List<String> figuresOfServer() {
        return ServerHistory.FIGURES;
    }

    /** Returns the figures of a topic. */
    public static List<String> figuresOfTopic() {
        return WatchedHistories.OF_TOPIC;
    }

    /** Returns the figures of a group. */
    public static List<String> figuresOfGroup() {
        return WatchedHistories.OF_GROUP;
    }

    /** Returns the last hour of this server. */
    public CompletionStage<History> ofServer(CallContext context, Collection<String> figures) {
        return context.guarded(() -> {
            Permissions.requireAdmin(context.principal());
            return CompletableFuture.completedFuture(server.read(figures));
        });
    }

    /** Returns the last hour of a topic, from when it was first asked for. */
    public CompletionStage<History> ofTopic(CallContext context, String topicName, Collection<String> figures) {
        return context.guarded(() -> {
            TopicRecord topic = topics.byName(topicName);
            Permissions.require(topic, context.principal(), Permission.DESCRIBE_TOPIC);
            return CompletableFuture.completedFuture(
                    watched.ofTopic(context.principal().userId(), topic, figures));
        });
    }

    /** Returns the last hour of a group, from when it was first asked for. */
    public CompletionStage<History> ofGroup(CallContext context, GroupName name, Collection<String> figures) {
        return context.guarded(() -> groups.describe(context, name)
                .thenApply(there -> watched.ofGroup(
                        context.principal().userId(), topics.byName(name.topic()), name.group(), figures)));
    }
}
