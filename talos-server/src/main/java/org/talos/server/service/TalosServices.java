// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.auth.quota.QuotaGate;
import org.talos.server.cluster.Coordinator;
import org.talos.server.dispatch.Priority;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metrics.QuotaMetrics;
import org.talos.server.metrics.TrafficMetrics;
import org.talos.server.partition.PartitionManager;
import org.talos.server.partition.serving.LocalPartitions;
import org.talos.server.partition.serving.LongWaits;
import org.talos.server.partition.serving.MessageReads;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.partition.serving.ReplayPace;
import org.talos.server.partition.serving.ServedPartitions;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.service.call.CallHandler;
import org.talos.server.service.call.CallTable;
import org.talos.server.service.call.Deadlines;
import org.talos.server.service.call.Services;
import org.talos.server.service.quota.SpaceWatch;
import org.talos.server.service.topic.TopicCalls;
import org.talos.server.tracing.Tracing;

/**
 * All services of one server, with the pools that run them.
 *
 * <p>Thread-safe.
 */
public final class TalosServices implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TalosServices.class);
    private static final int ADOPTION_MINUTES = 5;
    private static final int SPACE_WATCH_SECONDS = 1;
    private static final int OTHERS_WATCH_SECONDS = 5;
    private static final int FIGURES_SECONDS = 5;

    private final Pools pools;
    private final TopicCalls topicCalls;
    private final LocalPartitions here;
    private final LongWaits waits = new LongWaits();
    private final Services services;
    private final Operations operations;
    private final ServerFigures figures;
    private final Tracing tracing;

    /** Starts the pools, and regular work in the background. */
    public TalosServices(ServiceFoundation base) {
        Environment environment = base.environment();
        Repositories rows = base.repositories();
        Coordinator coordinator = base.cluster().coordinator();
        PartitionManager partitions = base.partitions();
        TimerWheel timers = environment.background().timers();
        Ticker ticker = environment.ticker();
        tracing = Tracing.of(base.config().tracing());
        pools = new Pools(base);
        TrafficMetrics traffic = new TrafficMetrics(environment.metrics(), ticker);
        MessageReads reads = new MessageReads(partitions, pools.gets(), pace(base, traffic), timers, ticker, waits);
        here = here(base, pools, reads, traffic);
        PartitionRoutes routes =
                new PartitionRoutes(coordinator, here, reads, base.cluster().others(), ticker, waits);
        figures = ServerFigures.of(base, traffic, routes);
        QuotaGate gate = gate(base);
        ServedPartitions served = new ServedPartitions(partitions, coordinator, routes, timers, ticker);
        SpaceWatch space = new SpaceWatch(rows.directory(), rows.quotas(), served, gate);
        Deadlines deadlines = new Deadlines(base.config().service());
        Subjects subjects =
                new Subjects(base, new Subjects.Parts(pools, routes, waits, served, space, gate, tracing), deadlines);
        topicCalls = subjects.topicCalls();
        operations = subjects.build(figures);
        CallTable table = new CallTable(pools.control(), ticker);
        subjects.calls().forEach(each -> each.addTo(table));
        services = new Services(table, deadlines, gate, environment.requests());
        ScheduledExecutorService refreshes = environment.background().refresh();
        watch(refreshes, SPACE_WATCH_SECONDS, space::refresh);
        watch(refreshes, OTHERS_WATCH_SECONDS, () -> served.refresh(space.bounded(), rows.directory()));
        watch(refreshes, FIGURES_SECONDS, subjects.topicFigures()::refresh);
        coordinator.onChange(partitions::follow);
        pools.startTuning();
    }

    private static QuotaGate gate(ServiceFoundation base) {
        Environment environment = base.environment();
        return new QuotaGate(
                base.config().quota(),
                base.repositories().quotas(),
                environment.ticker(),
                new QuotaMetrics(environment.metrics()));
    }

    private static ReplayPace pace(ServiceFoundation base, TrafficMetrics traffic) {
        Environment environment = base.environment();
        TimerWheel timers = environment.background().timers();
        return new ReplayPace(
                environment.ticker(),
                (nanos, task) -> {
                    var unused = timers.schedule(nanos, task);
                },
                environment.background().refresh(),
                base.policies().processorLoad(),
                traffic::putBytes,
                traffic::paced);
    }

    private static LocalPartitions here(
            ServiceFoundation base, Pools pools, MessageReads reads, TrafficMetrics traffic) {
        return new LocalPartitions(
                base.partitions(),
                base.cluster().coordinator(),
                new LocalPartitions.Pools(pools.puts(), pools.gets(), reads),
                base.environment().disk(),
                traffic,
                Priority.NORMAL);
    }

    private static void watch(ScheduledExecutorService refreshes, int seconds, Runnable refresh) {
        var unused = refreshes.scheduleWithFixedDelay(
                () -> {
                    try {
                        refresh.run();
                    } catch (RuntimeException e) {
                        LOG.error("used space or figures of topics unknown, will retry", e);
                    }
                },
                seconds,
                seconds,
                TimeUnit.SECONDS);
    }

    /** Returns the operations of all subjects, for front ends. */
    public Operations operations() {
        return operations;
    }

    /** Requests about this server's partitions on behalf of others, which have checked the client's rights. */
    public PartitionRequests forOthers() {
        PartitionRequests others = here.forOthers();
        return tracing.isOn() ? new TracedRequests(others, tracing) : others;
    }

    /** Returns the calls in the form of the wire. */
    public CallHandler handler() {
        return services;
    }

    /**
     * Continues deletions that a crash has interrupted, and at intervals takes over deletions of servers that do not
     * come back. Blocks.
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
     * Begins to measure the server's figures over time.
     *
     * @param health runs work that never waits
     */
    public void measure(ScheduledExecutorService health, ScheduledExecutorService refresh) {
        figures.start(health, refresh);
    }

    /** Answers all waiting requests now, with the messages so far: before the front end stops. */
    public void endWaits() {
        waits.end();
    }

    /** Refuses new work, answers or expires requests in flight within the grace period, and ends the pools. */
    @Override
    public void close() {
        tracing.close();
        pools.close();
    }
}
