// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import com.google.errorprone.annotations.DoNotCall;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.talos.server.cluster.ClusterAdmin;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.ClusterRows;
import org.talos.server.cluster.Coordinator;
import org.talos.server.cluster.PartitionTraffic;
import org.talos.server.cluster.ServerHealth;
import org.talos.server.cluster.single.SingleServerCoordinator;
import org.talos.server.partition.serving.PartitionRequests;

/**
 * The membership of a server that stands alone.
 *
 * <p>Thread-safe.
 */
public final class SingleServerMembership implements Membership {
    private final SingleServerCoordinator coordinator = new SingleServerCoordinator();

    @Override
    public Coordinator coordinator() {
        return coordinator;
    }

    @Override
    @DoNotCall("a server that stands alone knows no other")
    public PartitionRequests to(ClusterMember member) {
        throw new IllegalStateException("a server that stands alone knows no " + member.id());
    }

    @Override
    public void join(String clientAddress, PartitionRequests local, ClusterRows rows) {
        coordinator.reachedAt(clientAddress);
    }

    @Override
    public void report(List<PartitionTraffic> measured, ServerHealth health) {
        // Does nothing: a single server has no leader to report to.
    }

    @Override
    public Optional<ClusterAdmin> admin() {
        return Optional.empty();
    }

    @Override
    public Optional<String> serverId() {
        return Optional.empty();
    }

    /** Never completes: the lock on the data directory keeps a second process out. */
    @Override
    public CompletionStage<Void> replaced() {
        return new CompletableFuture<>();
    }

    @Override
    public void leave() {
        // There are no other servers.
    }

    @Override
    public void close() {
        coordinator.close();
    }
}
