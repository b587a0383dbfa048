// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import static org.talos.server.config.Checks.inRange;
import static org.talos.server.config.Checks.matches;

import java.time.Duration;

/**
 * The ZooKeeper that servers share: {@code zookeeper}. Read only if {@code cluster.coordination} says so. Immutable.
 *
 * @param connect its servers, {@code host:port,host:port}
 * @param root everything is under this node
 * @param sessionTimeout a server that is not heard of for so long counts as gone
 */
public record ZooKeeperConfig(String connect, String root, Duration sessionTimeout) {
    private static final String PATH = "(/[A-Za-z0-9][A-Za-z0-9._-]*)+";

    /** Checks every bound. */
    public ZooKeeperConfig {
        matches("zookeeper.root", root, PATH, "a path such as /talos");
        inRange("zookeeper.sessionTimeout", sessionTimeout, Duration.ofSeconds(1), Duration.ofMinutes(5));
    }
}
