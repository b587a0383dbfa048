// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.talos.server.partition.PartitionManager;
import org.talos.server.partition.TrafficMeter;
import org.talos.server.runtime.Ticker;

/** Publishes the partitions' traffic at intervals, by which the leader levels the servers' load. Immutable. */
public final class TrafficReports {
    private static final int SECONDS = 10;

    private TrafficReports() {}

    /**
     * Begins to.
     *
     * @param refresh may wait for ZooKeeper
     */
    public static void start(
            PartitionManager partitions, Membership membership, ScheduledExecutorService refresh, Ticker ticker) {
        TrafficMeter meter = new TrafficMeter(ticker);
        var unused = refresh.scheduleWithFixedDelay(
                () -> membership.reportTraffic(meter.measure(partitions.acknowledgedBytes())),
                SECONDS,
                SECONDS,
                TimeUnit.SECONDS);
    }
}
