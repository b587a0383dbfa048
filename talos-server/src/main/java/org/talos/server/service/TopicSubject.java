// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.talos.server.runtime.thread.Later;
import org.talos.server.service.call.DiskRoom;
import org.talos.server.service.call.ThriftCalls;
import org.talos.server.service.call.TopicLookup;
import org.talos.server.service.quota.TopicBounds;
import org.talos.server.service.topic.PartitionViews;
import org.talos.server.service.topic.PermissionCalls;
import org.talos.server.service.topic.PermissionOperations;
import org.talos.server.service.topic.TopicCalls;
import org.talos.server.service.topic.TopicFigures;
import org.talos.server.service.topic.TopicGroupCalls;
import org.talos.server.service.topic.TopicLists;
import org.talos.server.service.topic.TopicOperations;
import org.talos.server.service.topic.TopicRows;
import org.talos.server.service.topic.TopicThriftCalls;
import org.talos.server.service.topic.TopicViews;

/**
 * Builds the subject of topics: the parts that change and show topics, the operations, and the calls.
 *
 * <p>Confined: the thread that builds the services.
 */
final class TopicSubject {
    private final ServiceFoundation base;
    private final Subjects.Parts parts;
    private final TopicLookup lookup;
    private final DiskRoom room;
    private final TopicCalls topics;
    private final TopicViews views;
    private final TopicFigures figures;
    private final PermissionCalls permissions;

    /** @param bounds within which the rows of topics may grow */
    TopicSubject(ServiceFoundation base, Subjects.Parts parts, TopicLookup lookup, TopicBounds bounds, DiskRoom room) {
        this.base = base;
        this.parts = parts;
        this.lookup = lookup;
        this.room = room;
        Repositories rows = base.repositories();
        topics = changes(base, parts, bounds);
        views = new TopicViews(rows.directory(), parts.partitions(), rows.quotas());
        figures = new TopicFigures(
                rows.directory(), parts.partitions(), base.environment().ticker());
        permissions = new PermissionCalls(rows.directory(), bounds);
    }

    private static TopicCalls changes(ServiceFoundation base, Subjects.Parts parts, TopicBounds bounds) {
        Repositories rows = base.repositories();
        ScheduledExecutorService upkeep = base.environment().background().upkeep();
        Later sweeps = (delay, task) -> {
            var unused = upkeep.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
        };
        return new TopicCalls(
                new TopicRows(rows.directory(), rows.stored().topics(), rows.groups(), rows.offsets(), rows.quotas()),
                bounds,
                parts.partitions(),
                sweeps,
                base.config().service(),
                base.environment().clock());
    }

    /** Returns the calls that change topics: some leave work for the background. */
    TopicCalls topics() {
        return topics;
    }

    /** Returns the figures of topics: rounds in the background measure them. */
    TopicFigures figures() {
        return figures;
    }

    /** Builds the operations. */
    TopicOperations operations() {
        Pools pools = parts.pools();
        PartitionViews partitions = new PartitionViews(
                lookup,
                base.repositories().stored().partitions(),
                parts.routes(),
                base.cluster().coordinator(),
                base.cluster().serverId(),
                pools.control(),
                base.environment().ticker());
        return new TopicOperations(
                topics,
                views,
                new TopicLists(
                        base.repositories().directory(),
                        figures,
                        base.environment().ticker()),
                new TopicOperations.Pools(pools.control(), pools.topics()),
                room,
                new PermissionOperations(permissions, pools.control()),
                partitions);
    }

    /** Returns the contract's calls that run these operations, including those of Thrift clients only. */
    ThriftCalls calls(TopicOperations operations) {
        Repositories rows = base.repositories();
        TopicGroupCalls groups = new TopicGroupCalls(rows.stored().groups(), rows.directory());
        return new TopicThriftCalls(operations, new TopicThriftCalls.Parts(topics, views, permissions, groups, room));
    }
}
