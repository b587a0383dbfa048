// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.neighbors;

import java.net.InetSocketAddress;
import org.talos.common.auth.Credential;

/**
 * The server, and the neighbor's key and topic. Immutable.
 *
 * @param kind of the load
 */
record NeighborTarget(String host, int port, String keyId, String secret, String topic, int partitions, Neighbor kind) {
    InetSocketAddress address() {
        return new InetSocketAddress(host, port);
    }

    String authority() {
        return host + ":" + port;
    }

    Credential credential() {
        return new Credential(keyId, secret);
    }

    @Override
    public String toString() {
        return "NeighborTarget[" + authority() + ", topic=" + topic + "]"; // without the secret
    }
}
