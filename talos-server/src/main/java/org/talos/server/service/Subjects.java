// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.talos.server.auth.quota.QuotaGate;
import org.talos.server.cluster.ClusterClock;
import org.talos.server.config.QuotaConfig;
import org.talos.server.config.ServiceConfig;
import org.talos.server.metadata.cache.RememberedGroups;
import org.talos.server.partition.serving.LongWaits;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.partition.serving.TopicPartitions;
import org.talos.server.runtime.Later;
import org.talos.server.runtime.Ticker;
import org.talos.server.service.admin.AdminCalls;
import org.talos.server.service.admin.AdminOperations;
import org.talos.server.service.admin.AdminThriftCalls;
import org.talos.server.service.admin.ClusterOperations;
import org.talos.server.service.admin.OverviewOperations;
import org.talos.server.service.admin.SessionOperations;
import org.talos.server.service.admin.UserOperations;
import org.talos.server.service.call.Deadlines;
import org.talos.server.service.call.DiskRoom;
import org.talos.server.service.call.ThriftCalls;
import org.talos.server.service.call.Throttle;
import org.talos.server.service.call.TopicLookup;
import org.talos.server.service.call.VersionCalls;
import org.talos.server.service.call.WaitingRequests;
import org.talos.server.service.group.ConsumerCalls;
import org.talos.server.service.group.GroupCommits;
import org.talos.server.service.group.GroupLookup;
import org.talos.server.service.group.GroupMembers;
import org.talos.server.service.group.GroupOffsets;
import org.talos.server.service.group.GroupOperations;
import org.talos.server.service.group.GroupReads;
import org.talos.server.service.group.GroupRows;
import org.talos.server.service.group.GroupThriftCalls;
import org.talos.server.service.group.GroupViews;
import org.talos.server.service.group.MetricCalls;
import org.talos.server.service.history.HistoryOperations;
import org.talos.server.service.message.GetCalls;
import org.talos.server.service.message.MessageOperations;
import org.talos.server.service.message.MessageThriftCalls;
import org.talos.server.service.message.OffsetCalls;
import org.talos.server.service.message.PutCalls;
import org.talos.server.service.quota.QuotaCalls;
import org.talos.server.service.quota.QuotaOperations;
import org.talos.server.service.quota.QuotaThriftCalls;
import org.talos.server.service.quota.QuotaUses;
import org.talos.server.service.quota.SpaceWatch;
import org.talos.server.service.quota.TopicBounds;
import org.talos.server.service.topic.PartitionViews;
import org.talos.server.service.topic.PermissionCalls;
import org.talos.server.service.topic.PermissionOperations;
import org.talos.server.service.topic.TopicCalls;
import org.talos.server.service.topic.TopicGroupCalls;
import org.talos.server.service.topic.TopicOperations;
import org.talos.server.service.topic.TopicThriftCalls;
import org.talos.server.service.topic.TopicViews;
import org.talos.server.tracing.Tracing;

/**
 * Builds the subjects of a server: of each the operations for front ends, and the calls of the contract that run them.
 * The seam: the parts below a subject come built, and nothing here knows a call by name.
 *
 * <p>Confined: the thread that builds the services.
 */
final class Subjects {
    private final ServiceFoundation base;
    private final Parts parts;
    private final Deadlines deadlines;
    private final TopicLookup lookup;
    private final WaitingRequests waiting;
    private final Throttle throttle;
    private final DiskRoom room;
    private final TopicBounds bounds;
    private final TopicCalls topicCalls;
    private final GetCalls gets;
    private final List<ThriftCalls> calls = new ArrayList<>(List.of(new VersionCalls()));

    /** The parts of this server that subjects share. Immutable. */
    record Parts(
            Pools pools,
            PartitionRoutes routes,
            LongWaits waits,
            TopicPartitions partitions,
            SpaceWatch space,
            QuotaGate gate,
            Tracing tracing) {}

    Subjects(ServiceFoundation base, Parts parts, Deadlines deadlines) {
        this.base = base;
        this.parts = parts;
        this.deadlines = deadlines;
        Environment environment = base.environment();
        Repositories rows = base.repositories();
        lookup = new TopicLookup(rows.directory());
        waiting = new WaitingRequests(base.config().http().limits().waitingPerUser());
        throttle = new Throttle(
                parts.gate(),
                waiting,
                environment.timers(),
                environment.ticker(),
                base.config().quota().refusalDelay());
        room = new DiskRoom(environment.disk());
        bounds = new TopicBounds(rows.directory(), rows.quotas(), base.config().quota());
        topicCalls = topicCalls(base, parts.partitions(), bounds);
        gets = new GetCalls(
                lookup,
                parts.routes(),
                parts.pools().gets(),
                deadlines,
                throttle,
                base.config().service(),
                environment.ticker(),
                parts.tracing());
    }

    private static TopicCalls topicCalls(ServiceFoundation base, TopicPartitions partitions, TopicBounds bounds) {
        Repositories rows = base.repositories();
        ScheduledExecutorService upkeep = base.environment().upkeep();
        Later sweeps = (delay, task) -> {
            var unused = upkeep.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
        };
        return new TopicCalls(
                rows.directory(),
                rows.topics(),
                rows.groups(),
                rows.offsets(),
                rows.quotas(),
                bounds,
                partitions,
                sweeps,
                base.config().service(),
                base.environment().clock());
    }

    /** Builds all subjects; to be called once. */
    Operations build(ServerFigures figures) {
        GroupOperations groups = groups();
        return new Operations(
                new Requests(deadlines, parts.gate()),
                topics(),
                messages(),
                groups,
                quotas(),
                admin(figures),
                new HistoryOperations(lookup, groups, figures.server(), figures.watched()));
    }

    /** Returns the calls of all subjects that have been built. */
    List<ThriftCalls> calls() {
        return calls;
    }

    /** Returns the calls that change topics, which have work in the background. */
    TopicCalls topicCalls() {
        return topicCalls;
    }

    private TopicOperations topics() {
        Repositories rows = base.repositories();
        TopicViews views = new TopicViews(rows.directory(), parts.partitions(), rows.quotas());
        PermissionCalls permissions = new PermissionCalls(rows.directory(), bounds);
        TopicOperations topics = new TopicOperations(
                topicCalls,
                views,
                new TopicOperations.Pools(
                        parts.pools().control(), parts.pools().topics()),
                room,
                new PermissionOperations(permissions, parts.pools().control()),
                partitionViews());
        TopicGroupCalls groups = new TopicGroupCalls(rows.topicGroups(), rows.directory());
        calls.add(new TopicThriftCalls(
                topics, new TopicThriftCalls.Parts(topicCalls, views, permissions, groups, room)));
        return topics;
    }

    private PartitionViews partitionViews() {
        return new PartitionViews(
                lookup,
                base.repositories().partitions(),
                parts.routes(),
                base.cluster().coordinator(),
                base.cluster().serverId(),
                parts.pools().control(),
                base.environment().ticker());
    }

    private MessageOperations messages() {
        PutCalls puts = new PutCalls(lookup, parts.routes(), deadlines, throttle, parts.tracing());
        OffsetCalls offsets = new OffsetCalls(lookup, parts.routes(), base.cluster().coordinator());
        calls.add(new MessageThriftCalls(puts, gets, offsets));
        return new MessageOperations(lookup, waiting, puts, gets, offsets);
    }

    private GroupOperations groups() {
        ServiceConfig config = base.config().service();
        Ticker ticker = base.environment().ticker();
        Repositories stored = base.repositories();
        PartitionRoutes routes = parts.routes();
        ClusterClock clock =
                base.cluster().coordinator().clusterClock(base.environment().clock());
        GroupRows rows = groupRows(clock);
        GroupOffsets offsets = new GroupOffsets(stored.directory(), stored.offsets());
        GroupViews views = new GroupViews(
                stored.groups(), stored.offsets(), rows, offsets, routes, parts.pools().control(), clock, ticker);
        GroupLookup lookups = new GroupLookup(lookup, stored.users().keys()::user);
        GroupMembers members = new GroupMembers(rows, offsets, config.maxWorkersPerGroup(), clock);
        GroupCommits commits = new GroupCommits(members, routes, parts.pools().control());
        GroupReads reads = new GroupReads(
                commits,
                members,
                offsets,
                routes,
                parts.pools().control(),
                base.environment().budget(),
                ticker,
                parts.waits());
        ConsumerCalls consumers = consumerCalls(rows, clock);
        GroupOperations groups = new GroupOperations(
                lookup,
                new GroupOperations.Parts(lookups, members, commits, reads, views, consumers),
                gets,
                throttle,
                parts.pools().control(),
                config,
                ticker);
        calls.add(new GroupThriftCalls(groups, consumers));
        calls.add(new MetricCalls(lookup, lookups, views, gets, routes, parts.pools().gets()));
        return groups;
    }

    private GroupRows groupRows(ClusterClock clock) {
        ServiceConfig config = base.config().service();
        return new GroupRows(
                base.repositories().directory(),
                base.repositories().groups(),
                config.workerTtl(),
                config.maxGroupsPerUser(),
                clock,
                new RememberedGroups(
                        base.environment().ticker(),
                        clock::suspensions,
                        clock::isCompared,
                        config.workerTtl(),
                        base.groupBytes()));
    }

    private ConsumerCalls consumerCalls(GroupRows rows, ClusterClock clock) {
        return new ConsumerCalls(
                base.repositories().directory(),
                rows,
                base.repositories().offsets(),
                base.config().service(),
                clock,
                base.cluster().coordinator()::isConnected,
                base.repositories().users().keys()::user);
    }

    private QuotaOperations quotas() {
        Repositories rows = base.repositories();
        QuotaConfig config = base.config().quota();
        QuotaCalls quotaCalls = new QuotaCalls(
                rows.quotas(), rows.directory(), bounds, parts.space(), config.autoApprovePartitions());
        QuotaOperations quotas = new QuotaOperations(
                quotaCalls,
                new QuotaUses(rows.directory(), parts.gate()),
                parts.pools().control());
        calls.add(new QuotaThriftCalls(quotas, quotaCalls));
        return quotas;
    }

    private AdminOperations admin(ServerFigures figures) {
        Environment environment = base.environment();
        Repositories rows = base.repositories();
        UserOperations users = new UserOperations(rows.users(), parts.pools().control(), room, environment.clock());
        calls.add(new AdminThriftCalls(users, new AdminCalls(rows.users()), room));
        OverviewOperations.Parts shown = new OverviewOperations.Parts(
                environment.readiness(),
                environment.requests().operations(),
                environment.disk(),
                base.partitions()::states,
                figures.stored()::bytes,
                base.cluster().admin(),
                base.cluster().serverId(),
                environment.ticker(),
                environment.clock());
        return new AdminOperations(
                users,
                new SessionOperations(rows.sessions(), parts.pools().control()),
                new ClusterOperations(
                        base.cluster().admin(),
                        parts.pools()::workers,
                        lookup,
                        parts.pools().control()),
                new OverviewOperations(shown, parts.pools().control()));
    }
}
