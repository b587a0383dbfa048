// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import java.util.function.Function;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.Coordinator;
import org.talos.server.cluster.single.SingleServerCoordinator;
import org.talos.server.transfer.PartitionRequests;

/**
 * This server's place among others: who serves what, and how to ask them.
 *
 * <p>Thread-safe.
 */
final class Membership implements AutoCloseable {
    private final SingleServerCoordinator coordinator;
    private final Function<ClusterMember, PartitionRequests> others;

    private Membership(SingleServerCoordinator coordinator, Function<ClusterMember, PartitionRequests> others) {
        this.coordinator = coordinator;
        this.others = others;
    }

    /** Of a server without others. */
    static Membership alone() {
        return new Membership(new SingleServerCoordinator(), member -> {
            throw new IllegalStateException("a server that stands alone was told of " + member.id());
        });
    }

    Coordinator coordinator() {
        return coordinator;
    }

    /** Another server. */
    PartitionRequests to(ClusterMember member) {
        return others.apply(member);
    }

    /** From now on clients are told to come to {@code advertisedAddress}, {@code host:port}. */
    void begin(String advertisedAddress) {
        coordinator.reachedAt(advertisedAddress);
    }

    @Override
    public void close() {
        coordinator.close();
    }
}
