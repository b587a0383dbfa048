// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import static org.talos.server.config.Checks.inRange;
import static org.talos.server.config.Checks.matches;

import java.time.Duration;

/**
 * The cluster's ZooKeeper: {@code zookeeper}. Read only if {@code cluster.coordination} says so. Immutable.
 *
 * @param connect addresses, {@code host:port,host:port}
 * @param root parent of all nodes
 * @param sessionTimeout after which a silent server's session expires
 * @param sasl how this server makes itself known to it
 */
public record ZooKeeperConfig(String connect, String root, Duration sessionTimeout, ZooKeeperSaslConfig sasl) {
    private static final String PATH = "(/[A-Za-z0-9][A-Za-z0-9._-]*)+";

    /** Checks every bound. */
    public ZooKeeperConfig {
        matches("zookeeper.root", root, PATH, "a path such as /talos");
        inRange("zookeeper.sessionTimeout", sessionTimeout, Duration.ofSeconds(1), Duration.ofMinutes(5));
    }
}
