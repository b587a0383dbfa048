// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.auth.quota.QuotaGate;
import org.talos.server.config.PoolConfig;
import org.talos.server.dispatch.BatchRunner;
import org.talos.server.dispatch.KeyAffinityExecutor;
import org.talos.server.dispatch.Priority;
import org.talos.server.dispatch.Task;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metrics.DispatchMetrics;
import org.talos.server.metrics.QuotaMetrics;
import org.talos.server.partition.serving.GetPool;
import org.talos.server.partition.serving.LocalPartitions;
import org.talos.server.partition.serving.MessageReads;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.partition.serving.PoolTask;
import org.talos.server.partition.serving.PutPool;
import org.talos.server.partition.serving.PutPool.PutTask;
import org.talos.server.partition.serving.ServedPartitions;
import org.talos.server.service.admin.ClusterOperations;
import org.talos.server.service.call.CallHandler;
import org.talos.server.service.call.CallTable;
import org.talos.server.service.call.ControlPool;
import org.talos.server.service.call.Deadlines;
import org.talos.server.service.call.ServiceName;
import org.talos.server.service.call.Services;
import org.talos.server.service.call.Throttle;
import org.talos.server.service.call.TopicLookup;
import org.talos.server.service.group.GroupAdminCalls;
import org.talos.server.service.group.GroupMembers;
import org.talos.server.service.group.GroupOffsets;
import org.talos.server.service.group.GroupOperations;
import org.talos.server.service.group.GroupReads;
import org.talos.server.service.group.GroupRows;
import org.talos.server.service.group.GroupViews;
import org.talos.server.service.group.MetricCalls;
import org.talos.server.service.message.GetCalls;
import org.talos.server.service.message.OffsetCalls;
import org.talos.server.service.message.PutCalls;
import org.talos.server.service.quota.SpaceWatch;
import org.talos.server.service.topic.TopicCalls;
import org.talos.server.storage.LogId;
import org.talos.thrift.GetCheckpointRequest;
import org.talos.thrift.GetMessageRequest;
import org.talos.thrift.GetPartitionCheckpointRequest;
import org.talos.thrift.GetPartitionOffsetRequest;
import org.talos.thrift.GetPartitionsOffsetRequest;
import org.talos.thrift.GetScheduleInfoRequest;
import org.talos.thrift.GetTopicOffsetRequest;
import org.talos.thrift.PutMessageRequest;

/**
 * All services of one server, with the pools that they run in.
 *
 * <p>Thread-safe.
 */
public final class TalosServices implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TalosServices.class);
    private static final int SPACE_WATCH_SECONDS = 1;
    private static final int OTHERS_WATCH_SECONDS = 5;

    private final KeyAffinityExecutor<LogId, PutTask> puts;
    private final KeyAffinityExecutor<LogId, PoolTask<LogId>> gets;
    private final KeyAffinityExecutor<String, PoolTask<String>> controls;
    private final TopicCalls topicCalls;
    private final LocalPartitions here;
    private final PartitionRoutes routes;
    private final Services services;
    private final Operations operations;
    private final Duration grace;

    /** Starts the pools, and regular work in the background. */
    public TalosServices(ServiceFoundation base) {
        grace = base.config().service().shutdownGrace();
        PutPool.Runner putRunner = new PutPool.Runner(
                base.partitions(),
                base.cluster().coordinator(),
                base.environment().timers(),
                base.config().service().checkBlocks());
        puts = pool(base, "put", base.config().dispatch().put(), putRunner::run);
        gets = pool(base, "get", base.config().dispatch().get(), GetPool::runBatch);
        controls = pool(base, "control", base.config().dispatch().control(), ControlPool::runBatch);
        GetPool getPool = new GetPool(gets);
        MessageReads reads = new MessageReads(
                base.partitions(),
                getPool,
                base.environment().budget(),
                base.environment().timers(),
                base.environment().ticker());
        here = new LocalPartitions(
                base.partitions(), base.cluster().coordinator(), new PutPool(puts), getPool, reads, Priority.NORMAL);
        routes = new PartitionRoutes(
                base.cluster().coordinator(),
                here,
                reads,
                base.cluster().others(),
                base.environment().ticker());
        Deadlines deadlines = new Deadlines(base.config().service());
        QuotaGate gate = new QuotaGate(
                base.config().quota(),
                base.repositories().quotas(),
                base.environment().ticker(),
                new QuotaMetrics(base.environment().metrics()));
        ServedPartitions served = new ServedPartitions(
                base.partitions(),
                base.cluster().coordinator(),
                routes,
                base.environment().timers(),
                base.environment().ticker());
        SpaceWatch space = new SpaceWatch(
                base.repositories().directory(), base.repositories().quotas(), served, gate);
        ControlPool controlPool = new ControlPool(controls);
        CallTable table = new CallTable(controlPool);
        TopicLookup lookup = new TopicLookup(base.repositories().directory());
        topicCalls = ControlCalls.add(table, base, served, space);
        operations = addMessageCalls(table, base, lookup, deadlines, controlPool, gate);
        services = new Services(table, deadlines, gate);
        watch(base.environment().background(), SPACE_WATCH_SECONDS, space::refresh);
        watch(
                base.environment().background(),
                OTHERS_WATCH_SECONDS,
                () -> served.refresh(base.repositories().directory()));
        base.cluster().coordinator().onChange(base.partitions()::follow);
    }

    private static <K, T extends Task<K>> KeyAffinityExecutor<K, T> pool(
            ServiceFoundation base, String name, PoolConfig config, BatchRunner<T> runner) {
        return new KeyAffinityExecutor<>(
                name,
                base.config().dispatch().policy(),
                config,
                runner,
                base.environment().ticker(),
                base.environment().timers(),
                new DispatchMetrics(base.environment().metrics(), name));
    }

    private static void watch(ScheduledExecutorService background, int seconds, Runnable refresh) {
        var unused = background.scheduleWithFixedDelay(
                () -> {
                    try {
                        refresh.run();
                    } catch (RuntimeException e) {
                        LOG.error("used space is not known; trying again", e);
                    }
                },
                seconds,
                seconds,
                TimeUnit.SECONDS);
    }

    private Operations addMessageCalls(
            CallTable table,
            ServiceFoundation base,
            TopicLookup lookup,
            Deadlines deadlines,
            ControlPool controlPool,
            QuotaGate gate) {
        Throttle throttle = new Throttle(
                gate,
                base.environment().timers(),
                base.environment().ticker(),
                base.config().quota().refusalDelay());
        PutCalls put = new PutCalls(lookup, routes, deadlines, throttle);
        GetCalls get = new GetCalls(
                lookup,
                routes,
                new GetPool(gets),
                deadlines,
                throttle,
                base.config().service(),
                base.environment().ticker());
        OffsetCalls offset = new OffsetCalls(lookup, routes, base.cluster().coordinator());
        ServiceName message = ServiceName.MESSAGE;
        table.async(message, "putMessage", PutMessageRequest::new, put::putMessage);
        table.async(message, "getMessage", GetMessageRequest::new, get::getMessage);
        table.async(message, "getTopicOffset", GetTopicOffsetRequest::new, offset::getTopicOffset);
        table.async(message, "getPartitionOffset", GetPartitionOffsetRequest::new, offset::getPartitionOffset);
        table.async(message, "getPartitionsOffset", GetPartitionsOffsetRequest::new, offset::getPartitionsOffset);
        table.immediate(message, "getScheduleInfo", GetScheduleInfoRequest::new, offset::getScheduleInfo);
        table.async(message, "getTopicCheckpoint", GetCheckpointRequest::new, offset::getTopicCheckpoint);
        table.async(
                message, "getPartitionCheckpoint", GetPartitionCheckpointRequest::new, offset::getPartitionCheckpoint);
        table.notBuilt(message, "prepare", "commit", "rollback", "getUnkownStateTransaction", "deleteMessageIndex");
        InstantSource clusterClock =
                base.cluster().coordinator().clusterClock(base.environment().clock());
        GroupRows rows = new GroupRows(
                base.repositories().directory(),
                base.repositories().groups(),
                base.config().service().workerTtl(),
                clusterClock);
        GroupOffsets offsets = new GroupOffsets(
                base.repositories().directory(), base.repositories().offsets());
        GroupViews views = new GroupViews(
                base.repositories().groups(), base.repositories().offsets(), rows, offsets, routes, clusterClock);
        ControlCalls.addMetricCalls(table, new MetricCalls(lookup, views, get, routes));
        GroupMembers members =
                new GroupMembers(rows, offsets, base.config().service().maxWorkersPerGroup(), clusterClock);
        GroupReads groupReads = new GroupReads(
                members, offsets, routes, controlPool, base.environment().ticker());
        GroupOperations groups = new GroupOperations(
                lookup,
                members,
                groupReads,
                views,
                get,
                throttle,
                controlPool,
                base.config().service(),
                base.environment().ticker());
        GroupAdminCalls.add(table, groups);
        ClusterOperations cluster = new ClusterOperations(base.cluster().admin(), lookup, controlPool);
        return new Operations(table, deadlines, gate, lookup, put, get, offset, groups, cluster);
    }

    /** The calls, for front ends that speak no Thrift. */
    public Operations operations() {
        return operations;
    }

    /** Requests about this server's partitions on behalf of others, which have checked the client's rights. */
    public PartitionRequests forOthers() {
        return here.forOthers();
    }

    /** The calls in the form of the wire. */
    public CallHandler handler() {
        return services;
    }

    /** Goes on with deletions that a crash has interrupted. Blocks. */
    public void resumeDeletions() throws MetadataException {
        topicCalls.resumeDeletions();
    }

    /** Refuses new work, answers or expires what is in flight within the grace, and ends the pools. */
    @Override
    public void close() {
        puts.close(grace);
        gets.close(grace);
        controls.close(grace);
    }
}
