// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.talos.server.cluster.ClusterAdmin;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.Coordinator;
import org.talos.server.cluster.PartitionTraffic;
import org.talos.server.partition.serving.PartitionRequests;

/** This server's place among others: who serves what, and how to ask them. Thread-safe. */
public interface Membership extends AutoCloseable {
    /** Says who serves what; nobody, before this server has joined. */
    Coordinator coordinator();

    /** How to ask another server. */
    PartitionRequests to(ClusterMember member);

    /**
     * Joins: from now on this server is asked, and owns what it is given. Blocks.
     *
     * @param clientAddress where clients reach it, {@code host:port}
     * @param local how it answers other servers
     * @param topics partitions of each topic by its id, as this server knows them
     */
    void join(String clientAddress, PartitionRequests local, Supplier<Map<String, Integer>> topics) throws IOException;

    /** How much this server's partitions are used: to be told now and then. */
    void trafficIs(List<PartitionTraffic> measured);

    /** What operators may ask of the cluster, if this server is one of several and has joined. */
    Optional<ClusterAdmin> admin();

    /** Takes no further request of other servers. */
    void leave();

    /** Gives up what this server owns. */
    @Override
    void close();
}
