// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Counter;

/** The metrics of this server's membership in a cluster. Thread-safe. */
public final class ClusterMetrics {
    private final Counter sessionsLost;
    private final Counter placed;
    private final Counter moved;
    private final Counter conflicts;
    private volatile boolean connected;
    private volatile boolean leading;
    private volatile long servers;
    private volatile long owned;
    private volatile long clockMillis;

    /** Registers the metrics. */
    public ClusterMetrics(Metrics metrics) {
        metrics.gauge(
                "talos_cluster_connected", "", "1 while this server may answer with success.", () -> connected ? 1 : 0);
        metrics.gauge("talos_cluster_leading", "", "1 while this server leads.", () -> leading ? 1 : 0);
        metrics.gauge("talos_cluster_servers", "", "Live servers, as this one knows them.", () -> servers);
        metrics.gauge("talos_cluster_owned_partitions", "", "Partitions that this server owns.", () -> owned);
        metrics.gauge(
                "talos_cluster_clock_difference_seconds",
                "",
                "How far this server's clock is ahead of ZooKeeper's; compared each minute.",
                () -> clockMillis / 1e3);
        sessionsLost = metrics.counter(
                "talos_cluster_sessions_lost_total",
                "",
                "Sessions with ZooKeeper that expired while this server was a member.");
        placed = metrics.counter(
                "talos_cluster_placed_total",
                "",
                "Partitions without an owner that this server, leading, has assigned.");
        moved = metrics.counter(
                "talos_cluster_moved_total", "", "Served partitions that this server, leading, has moved to another.");
        conflicts = metrics.counter(
                "talos_cluster_conflicts_total", "", "Topics not assigned since another leader had written them.");
    }

    /** Sets the present state. */
    public void setCluster(boolean nowConnected, boolean nowLeading, long liveServers, long ownedPartitions) {
        connected = nowConnected;
        leading = nowLeading;
        servers = liveServers;
        owned = ownedPartitions;
    }

    /** Sets how far this server's clock is ahead of ZooKeeper's. */
    public void clockDiffersBy(long millis) {
        clockMillis = millis;
    }

    /** Counts an expired session of a member. */
    public void sessionLost() {
        sessionsLost.inc();
    }

    /** Counts the changes of one round of the leader. */
    public void assigned(long placedPartitions, long movedPartitions, long conflictingTopics) {
        placed.inc(placedPartitions);
        moved.inc(movedPartitions);
        conflicts.inc(conflictingTopics);
    }
}
