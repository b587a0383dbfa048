// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.Release;
import org.talos.server.auth.Permissions;
import org.talos.server.cluster.ClusterAdmin;
import org.talos.server.cluster.ClusterStatus;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.EffectiveConfig;
import org.talos.server.metrics.OperationMetrics;
import org.talos.server.runtime.DiskSpace;
import org.talos.server.runtime.Readiness;
import org.talos.server.runtime.time.Clocks;
import org.talos.server.service.call.CallContext;
import org.talos.server.service.call.ControlPool;
import org.talos.server.service.call.TopicLookup;

/**
 * The state of this server: every user learns that it is alive and ready, administrators the rest.
 *
 * <p>Thread-safe; nothing blocks.
 */
public final class OverviewOperations {
    private static final Logger LOG = LoggerFactory.getLogger(OverviewOperations.class);
    private static final String KEY = "overview";
    private static final int MOST_EVENTS = 50;

    private final Parts parts;
    private final ControlPool pool;
    private final ServerConfig config;
    private final long startedNanos;
    private final long startedMillis;

    /**
     * The sources of the overview. Immutable.
     *
     * @param operations of the front end
     * @param cluster empty if this server is the only one
     * @param serverId likewise
     * @param topics gives the names of topics in events of the cluster
     */
    public record Parts(
            Readiness readiness,
            OperationMetrics operations,
            Stored stored,
            Supplier<Optional<ClusterAdmin>> cluster,
            Supplier<Optional<String>> serverId,
            TopicLookup topics,
            Clocks clocks) {}

    /**
     * The partitions that this server serves, and the disk. Immutable.
     *
     * @param partitions number in each state
     * @param bytes of their messages; NaN while that is not known
     */
    public record Stored(DiskSpace disk, Supplier<SortedMap<String, Long>> partitions, DoubleSupplier bytes) {}

    /** The server starts now. */
    public OverviewOperations(Parts parts, ControlPool pool, ServerConfig config) {
        this.parts = parts;
        this.pool = pool;
        this.config = config;
        startedNanos = parts.clocks.ticker().nanos();
        startedMillis = parts.clocks.clock().millis();
    }

    /** The server as it is now. */
    public CompletionStage<Overview> show(CallContext context) {
        return context.guarded(() -> context.principal().admin()
                ? events(context).thenApply(events -> overview(Optional.of(details(events))))
                : CompletableFuture.completedFuture(overview(Optional.empty())));
    }

    /** Returns the settings of the server, for administrators. */
    public CompletionStage<Overview.Settings> settings(CallContext context) {
        return context.guarded(() -> {
            Permissions.requireAdmin(context.principal());
            List<Overview.Setting> all = EffectiveConfig.settings(config).stream()
                    .map(each -> new Overview.Setting(each.key(), each.value(), each.usual(), each.isChanged()))
                    .toList();
            return CompletableFuture.completedFuture(new Overview.Settings(parts.serverId.get(), all));
        });
    }

    private Overview overview(Optional<Overview.Details> details) {
        return new Overview(
                Release.version(),
                startedMillis,
                Duration.ofNanos(parts.clocks.ticker().nanos() - startedNanos),
                parts.readiness.reasons().isEmpty(),
                details);
    }

    private Overview.Details details(List<ClusterDescription.Event> events) {
        double stored = parts.stored.bytes.getAsDouble();
        long free = parts.stored.disk.freeBytes();
        return new Overview.Details(
                parts.serverId.get(),
                parts.readiness.states(),
                new TreeMap<>(parts.readiness.warnings()),
                parts.stored.partitions.get(),
                Double.isNaN(stored) ? OptionalLong.empty() : OptionalLong.of((long) stored),
                free == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(free),
                events,
                parts.operations.lastMinute(),
                parts.operations.processors());
    }

    /**
     * Returns the events of the cluster, unless ZooKeeper is unavailable, which the checks report; and those of this
     * server.
     */
    private CompletionStage<List<ClusterDescription.Event>> events(CallContext context) {
        Optional<ClusterAdmin> cluster = parts.cluster.get();
        CompletionStage<List<ClusterDescription.Event>> ofCluster = cluster.isEmpty()
                ? CompletableFuture.completedFuture(List.of())
                : pool.run(
                                context.principal().userId(),
                                KEY,
                                context.deadlineNanos(),
                                () -> cluster.get().status())
                        .thenApply(this::eventsOf)
                        .exceptionally(error -> {
                            LOG.debug("recent cluster events not read", error);
                            return List.of();
                        });
        return ofCluster.thenApply(this::withOwn);
    }

    private List<ClusterDescription.Event> eventsOf(ClusterStatus status) {
        return ClusterDescription.of(status, List.of(), parts.topics::nameOf).events();
    }

    private List<ClusterDescription.Event> withOwn(List<ClusterDescription.Event> ofCluster) {
        List<ClusterDescription.Event> all = new ArrayList<>(ofCluster);
        long now = parts.clocks.ticker().nanos();
        for (Readiness.Change each : parts.readiness.changes()) {
            long at = parts.clocks.clock().millis() - TimeUnit.NANOSECONDS.toMillis(now - each.nanos());
            all.add(new ClusterDescription.Event(at, "this server: " + each.text()));
        }
        all.sort(Comparator.comparingLong(ClusterDescription.Event::atMillis));
        return List.copyOf(all.subList(Math.max(0, all.size() - MOST_EVENTS), all.size()));
    }
}
