// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.net.InetSocketAddress;
import org.talos.common.auth.Credential;

/**
 * The server under attack, and the rights of the user who attacks. Immutable.
 *
 * @param topic of the user; his rights are those of its owner
 */
record Victim(
        String host,
        int port,
        String keyId,
        String secret,
        String topic,
        String resourceName,
        int partitions,
        long seed) {
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
        return "Victim[" + authority() + ", topic=" + topic + "]"; // without the secret
    }
}
