// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.auth.quota.QuotaGate;
import org.talos.server.cluster.ClusterClock;
import org.talos.server.cluster.Coordinator;
import org.talos.server.config.DispatchConfig;
import org.talos.server.config.DispatchConfig.WorkerThreads;
import org.talos.server.config.PoolConfig;
import org.talos.server.config.ServiceConfig;
import org.talos.server.dispatch.BatchRunner;
import org.talos.server.dispatch.KeyAffinityExecutor;
import org.talos.server.dispatch.PoolTuning;
import org.talos.server.dispatch.Priority;
import org.talos.server.dispatch.Task;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.cache.RememberedGroups;
import org.talos.server.metrics.DispatchMetrics;
import org.talos.server.metrics.QuotaMetrics;
import org.talos.server.metrics.TrafficMetrics;
import org.talos.server.partition.PartitionManager;
import org.talos.server.partition.serving.GetPool;
import org.talos.server.partition.serving.LocalPartitions;
import org.talos.server.partition.serving.LongWaits;
import org.talos.server.partition.serving.MessageReads;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.partition.serving.PoolTask;
import org.talos.server.partition.serving.PutPool;
import org.talos.server.partition.serving.PutPool.PutTask;
import org.talos.server.partition.serving.ReplayPace;
import org.talos.server.partition.serving.ServedPartitions;
import org.talos.server.runtime.NamedThreads;
import org.talos.server.runtime.Ticker;
import org.talos.server.runtime.TimerWheel;
import org.talos.server.runtime.VirtualThreads;
import org.talos.server.service.admin.ClusterDescription;
import org.talos.server.service.admin.ClusterOperations;
import org.talos.server.service.admin.OverviewOperations;
import org.talos.server.service.admin.SessionOperations;
import org.talos.server.service.admin.UserOperations;
import org.talos.server.service.call.CallHandler;
import org.talos.server.service.call.CallTable;
import org.talos.server.service.call.ControlPool;
import org.talos.server.service.call.Deadlines;
import org.talos.server.service.call.ServiceName;
import org.talos.server.service.call.Services;
import org.talos.server.service.call.Throttle;
import org.talos.server.service.call.TopicLookup;
import org.talos.server.service.call.WaitingRequests;
import org.talos.server.service.group.GroupAdminCalls;
import org.talos.server.service.group.GroupCommits;
import org.talos.server.service.group.GroupLookup;
import org.talos.server.service.group.GroupMembers;
import org.talos.server.service.group.GroupOffsets;
import org.talos.server.service.group.GroupOperations;
import org.talos.server.service.group.GroupReads;
import org.talos.server.service.group.GroupRows;
import org.talos.server.service.group.GroupViews;
import org.talos.server.service.group.MetricCalls;
import org.talos.server.service.history.HistoryOperations;
import org.talos.server.service.message.GetCalls;
import org.talos.server.service.message.OffsetCalls;
import org.talos.server.service.message.PutCalls;
import org.talos.server.service.quota.QuotaUses;
import org.talos.server.service.quota.SpaceWatch;
import org.talos.server.service.topic.PartitionViews;
import org.talos.server.service.topic.TopicCalls;
import org.talos.server.storage.LogId;
import org.talos.server.tracing.Tracing;
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
    private static final int ADOPTION_MINUTES = 5;
    private static final int SPACE_WATCH_SECONDS = 1;
    private static final int OTHERS_WATCH_SECONDS = 5;

    private final KeyAffinityExecutor<LogId, PutTask> puts;
    private final KeyAffinityExecutor<LogId, PoolTask<LogId>> gets;
    private final GetPool getPool;
    private final KeyAffinityExecutor<String, PoolTask<String>> controls;
    private final KeyAffinityExecutor<String, PoolTask<String>> topicWaits;
    private final TopicCalls topicCalls;
    private final LocalPartitions here;
    private final PartitionRoutes routes;
    private final LongWaits waits = new LongWaits();
    private final Services services;
    private final Operations operations;
    private final ServerFigures figures;
    private final PoolTuning tuning;
    private final Tracing tracing;
    private final Duration grace;

    /** Starts the pools, and regular work in the background. */
    public TalosServices(ServiceFoundation base) {
        Environment environment = base.environment();
        Repositories rows = base.repositories();
        Coordinator coordinator = base.cluster().coordinator();
        PartitionManager partitions = base.partitions();
        TimerWheel timers = environment.timers();
        Ticker ticker = environment.ticker();
        DispatchConfig dispatch = base.config().dispatch();
        grace = base.config().service().shutdownGrace();
        tracing = Tracing.of(base.config().tracing());
        boolean checkBlocks = base.config().service().checkBlocks();
        boolean byCaller = !checkBlocks && !partitions.appendsWait();
        MemoryBudget budget = environment.budget();
        PutPool.Runner putRunner = new PutPool.Runner(
                partitions, coordinator, timers, checkBlocks ? Optional.of(budget) : Optional.empty());
        tuning = new PoolTuning(ticker);
        puts = pool(base, "put", dispatch.put(), putRunner::run);
        gets = pool(base, "get", dispatch.get(), GetPool::runBatch);
        controls = pool(base, "control", dispatch.control(), ControlPool::runBatch);
        topicWaits = pool(base, "topics", dispatch.control(), ControlPool::runBatch);
        getPool = new GetPool(gets, budget);
        TrafficMetrics traffic = new TrafficMetrics(environment.metrics(), ticker);
        MessageReads reads = new MessageReads(partitions, getPool, pace(environment, traffic), timers, ticker, waits);
        here = here(base, new PutPool(puts, byCaller), getPool, reads, traffic);
        routes = new PartitionRoutes(coordinator, here, reads, base.cluster().others(), ticker, waits);
        figures = ServerFigures.of(base, traffic, routes);
        QuotaGate gate = gate(base);
        ServedPartitions served = new ServedPartitions(partitions, coordinator, routes, timers, ticker);
        SpaceWatch space = new SpaceWatch(rows.directory(), rows.quotas(), served, gate);
        ControlPool controlPool = new ControlPool(controls, dispatch.control());
        CallTable table = new CallTable(controlPool, new ControlPool(topicWaits, dispatch.control()));
        Deadlines deadlines = new Deadlines(base.config().service());
        topicCalls = ControlCalls.add(table, base, served, space);
        operations = addMessageCalls(table, base, deadlines, controlPool, gate);
        services = new Services(table, deadlines, gate, environment.requests());
        watch(environment.refresh(), SPACE_WATCH_SECONDS, space::refresh);
        watch(environment.refresh(), OTHERS_WATCH_SECONDS, () -> served.refresh(space.bounded(), rows.directory()));
        coordinator.onChange(partitions::follow);
        tuning.start();
    }

    private static QuotaGate gate(ServiceFoundation base) {
        Environment environment = base.environment();
        return new QuotaGate(
                base.config().quota(),
                base.repositories().quotas(),
                environment.ticker(),
                new QuotaMetrics(environment.metrics()));
    }

    private static ReplayPace pace(Environment environment, TrafficMetrics traffic) {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        TimerWheel timers = environment.timers();
        return new ReplayPace(
                environment.ticker(),
                (nanos, task) -> {
                    var unused = timers.schedule(nanos, task);
                },
                environment.refresh(),
                system::getCpuLoad,
                traffic::putBytes,
                traffic::paced);
    }

    private static LocalPartitions here(
            ServiceFoundation base, PutPool puts, GetPool gets, MessageReads reads, TrafficMetrics traffic) {
        return new LocalPartitions(
                base.partitions(),
                base.cluster().coordinator(),
                puts,
                gets,
                reads,
                base.environment().disk(),
                traffic,
                Priority.NORMAL);
    }

    private <K, T extends Task<K>> KeyAffinityExecutor<K, T> pool(
            ServiceFoundation base, String name, PoolConfig config, BatchRunner<T> runner) {
        boolean virtual = base.config().dispatch().threads() == WorkerThreads.VIRTUAL;
        KeyAffinityExecutor<K, T> pool = new KeyAffinityExecutor<>(
                virtual ? new VirtualThreads(name) : new NamedThreads(name),
                base.config().dispatch().policy(),
                config,
                runner,
                base.environment().ticker(),
                base.environment().timers(),
                new DispatchMetrics(base.environment().metrics(), name));
        tuning.add(name, pool);
        return pool;
    }

    /** @param http Jetty's threads */
    private List<ClusterDescription.Workers> workers(int http) {
        List<ClusterDescription.Workers> all = new ArrayList<>();
        all.add(new ClusterDescription.Workers("http", http, false));
        tuning.workers()
                .forEach(each -> all.add(new ClusterDescription.Workers(each.pool(), each.workers(), each.auto())));
        return all;
    }

    private static void watch(ScheduledExecutorService refreshes, int seconds, Runnable refresh) {
        var unused = refreshes.scheduleWithFixedDelay(
                () -> {
                    try {
                        refresh.run();
                    } catch (RuntimeException e) {
                        LOG.error("used space unknown, will retry", e);
                    }
                },
                seconds,
                seconds,
                TimeUnit.SECONDS);
    }

    private Operations addMessageCalls(
            CallTable table, ServiceFoundation base, Deadlines deadlines, ControlPool pool, QuotaGate gate) {
        ServiceConfig config = base.config().service();
        Ticker ticker = base.environment().ticker();
        TopicLookup topics = new TopicLookup(base.repositories().directory());
        WaitingRequests waiting =
                new WaitingRequests(base.config().http().limits().waitingPerUser());
        Throttle throttle = new Throttle(
                gate,
                waiting,
                base.environment().timers(),
                ticker,
                base.config().quota().refusalDelay());
        PutCalls put = new PutCalls(topics, routes, deadlines, throttle, tracing);
        GetCalls get = new GetCalls(topics, routes, getPool, deadlines, throttle, config, ticker, tracing);
        OffsetCalls offset = new OffsetCalls(topics, routes, base.cluster().coordinator());
        addMessageCalls(table, put, get, offset);
        GroupOperations groups = addGroupCalls(table, base, topics, get, throttle, pool);
        int http = base.config().http().workers();
        ClusterOperations cluster = new ClusterOperations(base.cluster().admin(), () -> workers(http), topics, pool);
        SessionOperations sessions = new SessionOperations(base.repositories().sessions(), pool);
        OperatorViews operators = operators(base, topics, groups, gate, pool);
        return new Operations(
                table, deadlines, gate, waiting, topics, put, get, offset, groups, cluster, sessions, operators);
    }

    private OperatorViews operators(
            ServiceFoundation base, TopicLookup topics, GroupOperations groups, QuotaGate gate, ControlPool pool) {
        Environment environment = base.environment();
        OverviewOperations.Parts parts = new OverviewOperations.Parts(
                environment.readiness(),
                environment.requests().operations(),
                environment.disk(),
                base.partitions()::states,
                figures.stored()::bytes,
                base.cluster().admin(),
                base.cluster().serverId(),
                environment.ticker(),
                environment.clock());
        return new OperatorViews(
                new UserOperations(base.repositories().users(), pool, environment.disk(), environment.clock()),
                new PartitionViews(
                        topics,
                        base.repositories().partitions(),
                        routes,
                        base.cluster().coordinator(),
                        base.cluster().serverId(),
                        pool,
                        environment.ticker()),
                new OverviewOperations(parts, pool),
                new HistoryOperations(topics, groups, figures.server(), figures.watched()),
                new QuotaUses(base.repositories().directory(), gate));
    }

    private static void addMessageCalls(CallTable table, PutCalls put, GetCalls get, OffsetCalls offset) {
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
    }

    private GroupOperations addGroupCalls(
            CallTable table,
            ServiceFoundation base,
            TopicLookup topics,
            GetCalls get,
            Throttle throttle,
            ControlPool pool) {
        ServiceConfig config = base.config().service();
        Ticker ticker = base.environment().ticker();
        Repositories stored = base.repositories();
        ClusterClock clock =
                base.cluster().coordinator().clusterClock(base.environment().clock());
        GroupRows rows = new GroupRows(
                stored.directory(),
                stored.groups(),
                config.workerTtl(),
                config.maxGroupsPerUser(),
                clock,
                new RememberedGroups(
                        ticker, clock::suspensions, clock::isCompared, config.workerTtl(), base.groupBytes()));
        GroupCallTable.add(table, base, rows, clock);
        GroupOffsets offsets = new GroupOffsets(stored.directory(), stored.offsets());
        GroupViews.Tables tables = new GroupViews.Tables(stored.groups(), stored.offsets());
        GroupViews views = new GroupViews(tables, rows, offsets, routes, pool, clock, ticker);
        GroupLookup lookup = new GroupLookup(topics, stored.users().keys()::user);
        ControlCalls.addMetricCalls(table, new MetricCalls(topics, lookup, views, get, routes, getPool));
        GroupMembers members = new GroupMembers(rows, offsets, config.maxWorkersPerGroup(), clock);
        GroupCommits commits = new GroupCommits(members, routes, pool);
        GroupReads reads = new GroupReads(
                commits, members, routes, pool, base.environment().budget(), ticker, waits);
        GroupOperations groups = new GroupOperations(
                topics, lookup, members, commits, reads, views, get, throttle, pool, config, ticker);
        GroupAdminCalls.add(table, groups);
        return groups;
    }

    /** The calls, for front ends that speak no Thrift. */
    public Operations operations() {
        return operations;
    }

    /** Requests about this server's partitions on behalf of others, which have checked the client's rights. */
    public PartitionRequests forOthers() {
        PartitionRequests others = here.forOthers();
        return tracing.isOn() ? new TracedRequests(others, tracing) : others;
    }

    /** The calls in the form of the wire. */
    public CallHandler handler() {
        return services;
    }

    /**
     * Continues with deletions that a crash has interrupted, and takes up at intervals those that a server has left
     * which does not come back. Blocks.
     */
    public void resumeDeletions(ScheduledExecutorService upkeep) throws MetadataException {
        topicCalls.resumeDeletions();
        var unused = upkeep.scheduleWithFixedDelay(
                this::adoptDeletions, ADOPTION_MINUTES, ADOPTION_MINUTES, TimeUnit.MINUTES);
    }

    private void adoptDeletions() {
        try {
            topicCalls.adoptDeletions();
        } catch (MetadataException e) {
            LOG.info("listing of deleted topics failed, will retry cause={}", e.toString());
        }
    }

    /**
     * Begins to measure what is shown of this server over time.
     *
     * @param health for what never waits
     */
    public void measure(ScheduledExecutorService health, ScheduledExecutorService refresh) {
        figures.start(health, refresh);
    }

    /** Answers all requests that wait for messages now, with the messages so far: before the front end stops. */
    public void endWaits() {
        waits.end();
    }

    /** Refuses new work, answers or expires what is in flight within the grace, and ends the pools. */
    @Override
    public void close() {
        tuning.close();
        tracing.close();
        puts.close(grace);
        gets.close(grace);
        controls.close(grace);
        topicWaits.close(grace);
    }
}
