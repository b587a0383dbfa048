// SPDX-License-Identifier: Apache-2.0
package org.talos.integration.servers;

import java.util.List;

/**
 * Owners of a topic's partitions. Immutable.
 *
 * @param epoch higher with each change
 * @param servers whose each partition is; empty for nobody's
 */
record Owners(long epoch, List<String> servers) {
    Owners {
        servers = List.copyOf(servers);
    }

    /** The first partition that is this server's. */
    int partitionOf(String server) {
        int partition = servers.indexOf(server);
        if (partition < 0) {
            throw new IllegalStateException(server + " has no partition: " + servers);
        }
        return partition;
    }
}
