// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.auth.UserAdmin;
import org.talos.server.auth.quota.QuotaGate;
import org.talos.server.cluster.ClusterAdmin;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.Coordinator;
import org.talos.server.config.DispatchConfig;
import org.talos.server.config.PoolConfig;
import org.talos.server.config.QuotaConfig;
import org.talos.server.config.ServiceConfig;
import org.talos.server.dispatch.BatchRunner;
import org.talos.server.dispatch.KeyAffinityExecutor;
import org.talos.server.dispatch.Priority;
import org.talos.server.dispatch.Task;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.Groups;
import org.talos.server.metadata.rows.Offsets;
import org.talos.server.metadata.rows.Quotas;
import org.talos.server.metadata.rows.TopicGroups;
import org.talos.server.metadata.rows.Topics;
import org.talos.server.metrics.DispatchMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.metrics.QuotaMetrics;
import org.talos.server.partition.PartitionManager;
import org.talos.server.partition.serving.GetPool;
import org.talos.server.partition.serving.LocalPartitions;
import org.talos.server.partition.serving.MessageReads;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.partition.serving.PoolTask;
import org.talos.server.partition.serving.PutPool;
import org.talos.server.partition.serving.PutPool.PutTask;
import org.talos.server.partition.serving.ServedPartitions;
import org.talos.server.runtime.MemoryBudget;
import org.talos.server.runtime.Ticker;
import org.talos.server.runtime.TimerWheel;
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

    /**
     * What the services stand on. Immutable.
     *
     * @param others how to ask another server
     * @param cluster what operators may ask of it, if there is one
     * @param budget memory of requests in flight
     * @param background for what nobody waits for; may block
     */
    public record Parts(
            ServiceConfig config,
            QuotaConfig quotaConfig,
            DispatchConfig dispatch,
            PartitionManager partitions,
            Topics topics,
            TopicDirectory directory,
            Groups groups,
            Offsets offsets,
            Quotas quotas,
            TopicGroups topicGroups,
            UserAdmin users,
            Coordinator coordinator,
            Function<ClusterMember, PartitionRequests> others,
            Supplier<Optional<ClusterAdmin>> cluster,
            MemoryBudget budget,
            TimerWheel timers,
            Ticker ticker,
            InstantSource clock,
            Metrics metrics,
            ScheduledExecutorService background) {}

    /** Starts the pools. */
    public TalosServices(Parts parts) {
        grace = parts.config.shutdownGrace();
        PutPool.Runner putRunner =
                new PutPool.Runner(parts.partitions, parts.coordinator, parts.timers, parts.config.checkBlocks());
        puts = pool(parts, "put", parts.dispatch.put(), putRunner::run);
        gets = pool(parts, "get", parts.dispatch.get(), GetPool::runBatch);
        controls = pool(parts, "control", parts.dispatch.control(), ControlPool::runBatch);
        GetPool getPool = new GetPool(gets);
        MessageReads reads = new MessageReads(parts.partitions, getPool, parts.budget, parts.timers, parts.ticker);
        here = new LocalPartitions(
                parts.partitions, parts.coordinator, new PutPool(puts), getPool, reads, Priority.NORMAL);
        routes = new PartitionRoutes(parts.coordinator, here, reads, parts.others, parts.ticker);
        Deadlines deadlines = new Deadlines(parts.config);
        QuotaGate gate = new QuotaGate(parts.quotaConfig, parts.quotas, parts.ticker, new QuotaMetrics(parts.metrics));
        ServedPartitions served =
                new ServedPartitions(parts.partitions, parts.coordinator, routes, parts.timers, parts.ticker);
        SpaceWatch space = new SpaceWatch(parts.directory, parts.quotas, served, gate);
        ControlPool controlPool = new ControlPool(controls);
        CallTable table = new CallTable(controlPool);
        TopicLookup lookup = new TopicLookup(parts.directory);
        topicCalls = ControlCalls.add(table, parts, served, space);
        operations = addMessageCalls(table, parts, lookup, deadlines, controlPool, gate);
        services = new Services(table, deadlines, gate);
        watch(parts.background, SPACE_WATCH_SECONDS, space::look);
        watch(parts.background, OTHERS_WATCH_SECONDS, () -> served.look(parts.directory));
        parts.coordinator.onChange(parts.partitions::follow);
    }

    private static <K, T extends Task<K>> KeyAffinityExecutor<K, T> pool(
            Parts parts, String name, PoolConfig config, BatchRunner<T> runner) {
        return new KeyAffinityExecutor<>(
                name,
                parts.dispatch.policy(),
                config,
                runner,
                parts.ticker,
                parts.timers,
                new DispatchMetrics(parts.metrics, name));
    }

    private static void watch(ScheduledExecutorService background, int seconds, Runnable look) {
        var unused = background.scheduleWithFixedDelay(
                () -> {
                    try {
                        look.run();
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
            Parts parts,
            TopicLookup lookup,
            Deadlines deadlines,
            ControlPool controlPool,
            QuotaGate gate) {
        Throttle throttle = new Throttle(gate, parts.timers, parts.ticker, parts.quotaConfig.refusalDelay());
        PutCalls put = new PutCalls(lookup, routes, deadlines, throttle);
        GetCalls get = new GetCalls(lookup, routes, new GetPool(gets), deadlines, throttle, parts.config, parts.ticker);
        OffsetCalls offset = new OffsetCalls(lookup, routes, parts.coordinator);
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
        InstantSource clusterClock = parts.coordinator.clusterClock(parts.clock);
        GroupRows rows = new GroupRows(parts.directory, parts.groups, parts.config.workerTtl(), clusterClock);
        GroupOffsets offsets = new GroupOffsets(parts.directory, parts.offsets);
        GroupViews views = new GroupViews(parts.groups, parts.offsets, rows, offsets, routes, clusterClock);
        ControlCalls.addMetricCalls(table, new MetricCalls(lookup, views, get, routes));
        GroupMembers members = new GroupMembers(rows, offsets, parts.config.maxWorkersPerGroup(), clusterClock);
        GroupReads groupReads = new GroupReads(members, offsets, routes, controlPool, parts.ticker);
        GroupOperations groups = new GroupOperations(new GroupOperations.Parts(
                lookup, members, groupReads, views, get, throttle, controlPool, parts.config, parts.ticker));
        GroupAdminCalls.add(table, groups);
        ClusterOperations cluster = new ClusterOperations(parts.cluster, lookup, controlPool);
        return new Operations(table, deadlines, gate, lookup, put, get, offset, groups, cluster);
    }

    /** The calls, for front ends that speak no Thrift. */
    public Operations operations() {
        return operations;
    }

    /** How this server answers others, which have checked the client's rights. */
    public PartitionRequests forOthers() {
        return here.forOthers();
    }

    /** Where requests go. */
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
