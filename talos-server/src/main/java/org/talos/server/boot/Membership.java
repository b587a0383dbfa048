// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.talos.server.cluster.ClusterAdmin;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.ClusterRows;
import org.talos.server.cluster.Coordinator;
import org.talos.server.cluster.PartitionTraffic;
import org.talos.server.cluster.ServerHealth;
import org.talos.server.partition.serving.PartitionRequests;

/** This server's membership in a cluster: its coordinator, and its way to other servers. Thread-safe. */
public interface Membership extends AutoCloseable {
    /** The coordinator; before {@link #join} it locates no partition. */
    Coordinator coordinator();

    /** Sends requests to another server. */
    PartitionRequests to(ClusterMember member);

    /**
     * Joins the cluster: from now on this server owns partitions and answers other servers' requests. Blocks.
     *
     * @param clientAddress where clients reach it, {@code host:port}
     * @param local answers other servers' requests
     * @param rows of topics and partitions, for the leader
     */
    void join(String clientAddress, PartitionRequests local, ClusterRows rows) throws IOException;

    /** Publishes the traffic of this server's partitions, and how it is; to be called at intervals. */
    void report(List<PartitionTraffic> measured, ServerHealth health);

    /** Operators' requests to the cluster, if this server is one of several and has joined. */
    Optional<ClusterAdmin> admin();

    /** This server's id, if it is one of several and has joined. */
    Optional<String> serverId();

    /**
     * Returns a future that completes once another process has this server's id, and thereby its partitions. This
     * process must end then.
     */
    CompletionStage<Void> replaced();

    /** Refuses further requests of other servers. */
    void leave();

    /** Gives up all partitions of this server. */
    @Override
    void close();
}
