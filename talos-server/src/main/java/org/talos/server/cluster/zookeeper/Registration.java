// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import org.talos.server.cluster.ClusterMember;

/**
 * Content of a server's node. Immutable.
 *
 * @param process random, new at each start of the server; the rows of partitions that it owns name it
 * @param leaving whether it is about to stop: others send it no requests then
 */
record Registration(String process, boolean leaving, String clientAddress, String transferAddress) {
    ClusterMember member(String id) {
        return new ClusterMember(id, clientAddress, transferAddress);
    }
}
