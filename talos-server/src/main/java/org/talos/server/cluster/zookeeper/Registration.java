// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import org.talos.server.cluster.ClusterMember;

/**
 * A server's node. Immutable.
 *
 * @param process another one for each start of the server
 * @param leaving it is about to stop: what it owns is not to be asked of it any more
 */
record Registration(String process, boolean leaving, String clientAddress, String transferAddress) {
    ClusterMember member(String id) {
        return new ClusterMember(id, clientAddress, transferAddress);
    }
}
