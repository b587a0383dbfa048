// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.List;
import org.talos.server.cluster.ClusterClock;
import org.talos.server.config.ServiceConfig;
import org.talos.server.metadata.cache.RememberedGroups;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.service.call.ControlPool;
import org.talos.server.service.call.DiskRoom;
import org.talos.server.service.call.ThriftCalls;
import org.talos.server.service.call.Throttle;
import org.talos.server.service.call.TopicLookup;
import org.talos.server.service.group.ConsumerCalls;
import org.talos.server.service.group.GroupCommits;
import org.talos.server.service.group.GroupIndex;
import org.talos.server.service.group.GroupLists;
import org.talos.server.service.group.GroupLookup;
import org.talos.server.service.group.GroupMembers;
import org.talos.server.service.group.GroupOffsets;
import org.talos.server.service.group.GroupOperations;
import org.talos.server.service.group.GroupReads;
import org.talos.server.service.group.GroupRows;
import org.talos.server.service.group.GroupThriftCalls;
import org.talos.server.service.group.GroupViews;
import org.talos.server.service.group.MetricCalls;
import org.talos.server.service.group.RowWrites;
import org.talos.server.service.message.GetCalls;

/**
 * Builds the subject of consumer groups: the rows of groups, the parts that work on them, the operations, and the
 * calls.
 *
 * <p>Confined: the thread that builds the services.
 */
final class GroupSubject {
    private final ServiceFoundation base;
    private final Subjects.Parts parts;
    private final TopicLookup topics;
    private final GetCalls gets;
    private final ControlPool pool;
    private final ClusterClock clock;
    private final GroupRows rows;
    private final GroupOffsets offsets;
    private final GroupLookup lookup;
    private final GroupViews views;
    private final GroupLists lists;
    private final ConsumerCalls consumers;

    GroupSubject(ServiceFoundation base, Subjects.Parts parts, TopicLookup topics, GetCalls gets, DiskRoom room) {
        this.base = base;
        this.parts = parts;
        this.topics = topics;
        this.gets = gets;
        pool = parts.pools().control();
        Repositories stored = base.repositories();
        clock = base.cluster().coordinator().clusterClock(base.environment().clock());
        rows = rows(base, room, clock);
        offsets = new GroupOffsets(stored.directory(), stored.offsets(), room);
        lookup = new GroupLookup(topics, stored.users().keys()::user);
        views = new GroupViews(
                new GroupViews.Tables(stored.groups(), stored.offsets()),
                rows,
                offsets,
                parts.routes(),
                pool,
                clock,
                base.environment().ticker());
        lists = lists(base, parts, topics, lookup);
        consumers = new ConsumerCalls(
                stored.directory(),
                rows,
                offsets,
                base.config().service(),
                clock,
                base.cluster().coordinator()::isConnected,
                stored.users().keys()::user);
    }

    private static GroupRows rows(ServiceFoundation base, DiskRoom room, ClusterClock clock) {
        ServiceConfig config = base.config().service();
        RememberedGroups remembered = new RememberedGroups(
                base.environment().ticker(),
                clock::suspensions,
                clock::isCompared,
                config.memberTtl(),
                base.groupHeap().rowBytes());
        return new GroupRows(
                base.repositories().directory(),
                base.repositories().groups(),
                GroupRows.Bounds.of(config),
                room,
                clock,
                remembered,
                new RowWrites(base.environment().ticker()));
    }

    private static GroupLists lists(
            ServiceFoundation base, Subjects.Parts parts, TopicLookup topics, GroupLookup lookup) {
        Repositories stored = base.repositories();
        Ticker ticker = base.environment().ticker();
        ControlPool pool = parts.pools().control();
        GroupIndex index = new GroupIndex(
                stored.directory(),
                new GroupIndex.Tables(stored.groups(), stored.offsets()),
                (deadline, reading) -> pool.run("", "groups of all topics", deadline, reading),
                base.environment().background().timers(),
                ticker,
                base.groupHeap().listBytes());
        return new GroupLists(stored.directory(), topics, lookup, parts.partitions(), index, ticker);
    }

    /** Builds the operations. */
    GroupOperations operations(Throttle throttle) {
        ServiceConfig config = base.config().service();
        Ticker ticker = base.environment().ticker();
        GroupMembers members = new GroupMembers(rows, offsets, config.maxMembersPerGroup(), clock);
        GroupCommits commits = new GroupCommits(members, parts.routes(), pool);
        GroupReads reads = new GroupReads(
                commits, members, parts.routes(), pool, base.environment().budget(), ticker, parts.waits());
        return new GroupOperations(
                topics,
                new GroupOperations.Parts(lookup, members, commits, reads, views, lists, consumers),
                gets,
                throttle,
                pool,
                config,
                ticker);
    }

    /** Returns the contract's calls that run these operations, including those of the SDKs only. */
    List<ThriftCalls> calls(GroupOperations groups) {
        return List.of(
                new GroupThriftCalls(groups, consumers),
                new MetricCalls(
                        topics,
                        lookup,
                        views,
                        gets,
                        parts.routes(),
                        parts.pools().decoding()));
    }
}
