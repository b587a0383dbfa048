// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import java.time.Duration;
import org.talos.server.cluster.Coordinator;
import org.talos.server.cluster.Location;
import org.talos.server.config.ServerConfig;
import org.talos.server.storage.LogId;

/**
 * Ownership by the view of the cluster's coordinator. Thread-safe.
 *
 * @param patience longest wait for a living process; at least the session's timeout, so that a server without a
 *     connection has stopped answering for a partition when it is taken
 */
public record ClusterOwnership(Coordinator coordinator, Duration patience) implements Ownership {
    /** Returns the ownership with the patience of a configuration. */
    public static ClusterOwnership of(Coordinator coordinator, ServerConfig config) {
        Duration delay = config.cluster().delayRemoved();
        Duration session = config.zookeeper().sessionTimeout();
        return new ClusterOwnership(coordinator, delay.compareTo(session) > 0 ? delay : session);
    }

    @Override
    public boolean isOurs(LogId id) {
        return coordinator.isInTouch() && isHere(id);
    }

    @Override
    public boolean isOurs(LogId id, long sinceNanos) {
        return coordinator.hasHeardSince(sinceNanos) && isHere(id);
    }

    private boolean isHere(LogId id) {
        return coordinator.locate(id.topicId(), id.partition()) instanceof Location.Here;
    }

    @Override
    public boolean isAlive(String process) {
        return coordinator.isAlive(process);
    }

    @Override
    public void released(LogId id) {
        coordinator.released(id.topicId(), id.partition());
    }
}
