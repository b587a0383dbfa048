// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import com.google.errorprone.annotations.DoNotCall;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.talos.server.cluster.ClusterAdmin;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.Coordinator;
import org.talos.server.cluster.PartitionTraffic;
import org.talos.server.cluster.single.SingleServerCoordinator;
import org.talos.server.partition.serving.PartitionRequests;

/**
 * Of a server without others.
 *
 * <p>Thread-safe.
 */
public final class MembershipAlone implements Membership {
    private final SingleServerCoordinator coordinator = new SingleServerCoordinator();

    @Override
    public Coordinator coordinator() {
        return coordinator;
    }

    @Override
    @DoNotCall("a server that stands alone is told of no other")
    public PartitionRequests to(ClusterMember member) {
        throw new IllegalStateException("a server that stands alone was told of " + member.id());
    }

    @Override
    public void join(String clientAddress, PartitionRequests local, Supplier<Map<String, Integer>> topics) {
        coordinator.reachedAt(clientAddress);
    }

    @Override
    public void trafficIs(List<PartitionTraffic> measured) {
        // All of it is this server's.
    }

    @Override
    public Optional<ClusterAdmin> admin() {
        return Optional.empty();
    }

    @Override
    public void leave() {
        // Nobody asks.
    }

    @Override
    public void close() {
        coordinator.close();
    }
}
