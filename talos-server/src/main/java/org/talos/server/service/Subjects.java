// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.ArrayList;
import java.util.List;
import org.talos.server.auth.quota.QuotaGate;
import org.talos.server.config.QuotaConfig;
import org.talos.server.partition.serving.LongWaits;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.partition.serving.TopicPartitions;
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
import org.talos.server.service.group.GroupOperations;
import org.talos.server.service.history.HistoryOperations;
import org.talos.server.service.message.GetCalls;
import org.talos.server.service.message.MessageDeletions;
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
import org.talos.server.service.topic.TopicCalls;
import org.talos.server.service.topic.TopicFigures;
import org.talos.server.service.topic.TopicOperations;
import org.talos.server.tracing.Tracing;

/**
 * Builds the subjects of a server: for each, the operations for front ends and the calls of the contract that run them.
 * The seam: the parts below the subjects are given, and this class knows no call by name.
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
    private final TopicSubject topicSubject;
    private final GetCalls gets;
    private final List<ThriftCalls> calls = new ArrayList<>(List.of(new VersionCalls()));

    /** Groups the parts of this server that subjects share. Immutable. */
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
                environment.background().timers(),
                environment.ticker(),
                base.config().quota().refusalDelay());
        room = new DiskRoom(environment.disk());
        bounds = new TopicBounds(rows.directory(), rows.quotas(), base.config().quota());
        topicSubject = new TopicSubject(base, parts, lookup, bounds, room);
        gets = new GetCalls(
                lookup,
                parts.routes(),
                parts.pools().decoding(),
                new GetCalls.Bounds(deadlines, throttle, base.config().service()),
                environment.ticker(),
                parts.tracing());
    }

    /** Builds all subjects. Call it once. */
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

    /** Returns the calls of all subjects, after {@link #build}. */
    List<ThriftCalls> calls() {
        return calls;
    }

    /** Returns the calls that change topics: some leave work for the background. */
    TopicCalls topicCalls() {
        return topicSubject.topics();
    }

    /** Returns the figures of topics, for the rounds that measure them. */
    TopicFigures topicFigures() {
        return topicSubject.figures();
    }

    private TopicOperations topics() {
        TopicOperations topics = topicSubject.operations();
        calls.add(topicSubject.calls(topics));
        return topics;
    }

    private MessageOperations messages() {
        PutCalls puts = new PutCalls(lookup, parts.routes(), deadlines, throttle, parts.tracing());
        OffsetCalls offsets =
                new OffsetCalls(lookup, parts.routes(), base.cluster().coordinator());
        calls.add(new MessageThriftCalls(puts, gets, offsets));
        MessageDeletions deletions = new MessageDeletions(lookup, parts.routes());
        return new MessageOperations(lookup, waiting, puts, gets, offsets, deletions);
    }

    private GroupOperations groups() {
        GroupSubject subject = new GroupSubject(base, parts, lookup, gets, room);
        GroupOperations groups = subject.operations(throttle);
        calls.addAll(subject.calls(groups));
        return groups;
    }

    private QuotaOperations quotas() {
        Repositories rows = base.repositories();
        QuotaConfig config = base.config().quota();
        QuotaCalls quotaCalls =
                new QuotaCalls(rows.quotas(), rows.directory(), bounds, parts.space(), config.autoApprovePartitions());
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
                new OverviewOperations.Stored(environment.disk(), base.partitions()::states, figures.stored()::bytes),
                base.cluster().admin(),
                base.cluster().serverId(),
                lookup,
                environment.clocks());
        return new AdminOperations(
                users,
                new SessionOperations(rows.sessions(), parts.pools().control()),
                new ClusterOperations(
                        base.cluster().admin(),
                        parts.pools()::workers,
                        lookup,
                        parts.pools().control()),
                new OverviewOperations(shown, parts.pools().control(), base.config()));
    }
}
