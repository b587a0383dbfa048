// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.ClusterRows;
import org.talos.server.config.ZooKeeperConfig;
import org.talos.server.metrics.ClusterMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.simulation.SimulatedProcess;

/**
 * The real coordinator, leader and all, on a process's steps and a simulated ZooKeeper.
 *
 * <p>Confined: the simulation's thread.
 */
public final class SimulatedCoordinator {
    /** Parent of all nodes. */
    public static final String ROOT = "/talos";

    private static final ClusterMetrics METRICS = new ClusterMetrics(new Metrics(() -> 0));

    private SimulatedCoordinator() {}

    /** A coordinator that has not begun. */
    public static ZooKeeperCoordinator of(
            SimulatedLink link,
            SimulatedProcess process,
            ClusterMember self,
            String owner,
            Duration sessionTimeout,
            Duration delayRemoved,
            ClusterRows rows) {
        return new ZooKeeperCoordinator(
                new ZooKeeperConfig("simulated:1", ROOT, sessionTimeout, Cluster.NO_SASL),
                Duration.ofDays(1),
                new ZooKeeperCoordinator.Identity(self, owner),
                new Leader.Options(delayRemoved, rows, process::now, topic -> {}),
                new ZooKeeperCoordinator.Environment(
                        link,
                        new ClusterThreads(
                                process.pool("cluster", 1, false).light().quiet(),
                                process.pool("cluster-work", 1, false).light().quiet()),
                        process::now,
                        () -> Instant.ofEpochMilli(process.wallMillis())),
                METRICS);
    }

    /** Begins to join; completes once the server is a member. */
    public static CompletableFuture<Void> begin(ZooKeeperCoordinator coordinator) {
        return coordinator.begin();
    }
}
