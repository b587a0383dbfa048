// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.talos.server.cluster.ServerHealth;
import org.talos.server.partition.PartitionManager;
import org.talos.server.partition.TrafficMeter;
import org.talos.server.runtime.Readiness;
import org.talos.server.runtime.time.Ticker;

/**
 * Publishes at intervals the partitions' traffic, by which the leader levels the servers' load, and how this server is,
 * which every other one can show. Immutable.
 */
public final class ServerReports {
    private static final int SECONDS = 10;

    private ServerReports() {}

    /**
     * Begins to.
     *
     * @param refresh may wait for ZooKeeper
     */
    public static void start(
            PartitionManager partitions,
            Readiness readiness,
            Membership membership,
            ScheduledExecutorService refresh,
            Ticker ticker) {
        TrafficMeter meter = new TrafficMeter(ticker);
        var unused = refresh.scheduleWithFixedDelay(
                () -> membership.report(
                        meter.measure(partitions.acknowledgedBytes()),
                        ServerHealth.of(readiness.reasons(), partitions.opening())),
                SECONDS,
                SECONDS,
                TimeUnit.SECONDS);
    }
}
