// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Counter;

/** What this server measures of the cluster it belongs to. Thread-safe. */
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

    /** The cluster's metrics. */
    public ClusterMetrics(Metrics metrics) {
        metrics.gauge(
                "talos_cluster_connected", "", "1 while this server may answer with success.", () -> connected ? 1 : 0);
        metrics.gauge("talos_cluster_leading", "", "1 while this server leads.", () -> leading ? 1 : 0);
        metrics.gauge("talos_cluster_servers", "", "Servers that live, as this one has heard.", () -> servers);
        metrics.gauge("talos_cluster_owned_partitions", "", "Partitions that this server owns.", () -> owned);
        metrics.gauge(
                "talos_cluster_clock_difference_seconds",
                "",
                "How far this server's clock is ahead of ZooKeeper's; looked at each minute.",
                () -> clockMillis / 1e3);
        sessionsLost = metrics.counter(
                "talos_cluster_sessions_lost_total",
                "",
                "Sessions with ZooKeeper that ended while this server was a member.");
        placed = metrics.counter(
                "talos_cluster_placed_total",
                "",
                "Partitions that nobody served and that this server, leading, has given to one.");
        moved = metrics.counter(
                "talos_cluster_moved_total", "", "Served partitions that this server, leading, has moved to another.");
        conflicts = metrics.counter(
                "talos_cluster_conflicts_total", "", "Topics not written since another leader was faster.");
    }

    /** How it is now. */
    public void clusterIs(boolean nowConnected, boolean nowLeading, long liveServers, long ownedPartitions) {
        connected = nowConnected;
        leading = nowLeading;
        servers = liveServers;
        owned = ownedPartitions;
    }

    /** By so much this server's clock is ahead of ZooKeeper's. */
    public void clockDiffersBy(long millis) {
        clockMillis = millis;
    }

    /** A session has ended that was a member. */
    public void sessionLost() {
        sessionsLost.inc();
    }

    /** The leader has written. */
    public void assigned(long placedPartitions, long movedPartitions, long conflictingTopics) {
        placed.inc(placedPartitions);
        moved.inc(movedPartitions);
        conflicts.inc(conflictingTopics);
    }
}
