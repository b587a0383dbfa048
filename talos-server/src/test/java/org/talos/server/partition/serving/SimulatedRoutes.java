// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import java.util.function.Function;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.Coordinator;
import org.talos.server.runtime.thread.HandTurnedWheel;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.Ticker;

/** Makes routes and reads of simulated servers. */
public final class SimulatedRoutes {
    private SimulatedRoutes() {}

    /**
     * Returns the real routes, to other servers only.
     *
     * @param coordinator never says that a partition is here that is waited for
     */
    @SuppressWarnings("NullAway") // what only reads of partitions here need
    public static PartitionRoutes elsewhere(
            Coordinator coordinator,
            Function<ClusterMember, PartitionRequests> there,
            Ticker ticker,
            TimerWheel timers,
            LongWaits waits) {
        MessageReads reads = new MessageReads(null, null, null, timers, ticker, waits);
        return new PartitionRoutes(
                coordinator, there.apply(new ClusterMember("none", "", "")), reads, there, ticker, waits);
    }

    /** Returns the real routes, to servers that all answer as one does. Nothing may wait for messages. */
    public static PartitionRoutes toOne(Coordinator coordinator, PartitionRequests all, Ticker ticker) {
        return elsewhere(
                coordinator, member -> all, ticker, HandTurnedWheel.of(ticker).wheel(), new LongWaits());
    }
}
