// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.net.InetSocketAddress;
import java.util.List;
import org.talos.bench.hostile.wire.SecretCheck;
import org.talos.common.auth.Credential;

/**
 * The server under attack, and the rights of the users who attack. Immutable.
 *
 * @param tlsPort of a second server, which has TLS
 * @param topic of one user, whose rights are those of its owner
 * @param large a topic of another user, whose messages are many times longer as JSON
 * @param page path of the largest page that needs no key
 * @param foreign text of other users' messages, which no attacker may receive
 * @param attacks the kinds to begin
 * @param keyless connections without a key, of all these kinds together
 */
record Victim(
        String host,
        int port,
        int tlsPort,
        OwnTopic topic,
        OwnTopic large,
        String page,
        String foreign,
        List<Attack> attacks,
        int keyless,
        long seed) {
    /** A topic of an attacker, and the key of its owner. Immutable. */
    record OwnTopic(String name, String resourceName, int partitions, String keyId, String secret) {
        Credential credential() {
            return new Credential(keyId, secret);
        }

        @Override
        public String toString() {
            return name; // without the secret
        }
    }

    InetSocketAddress address() {
        return new InetSocketAddress(host, port);
    }

    String authority() {
        return host + ":" + port;
    }

    /** Returns a check of one connection that fails at bytes of others. */
    SecretCheck secretCheck() {
        return new SecretCheck(foreign);
    }

    /** Returns how many connections each kind without a key holds. */
    int keylessOfEach() {
        long kinds = attacks.stream().filter(Attack::isKeyless).count();
        return (int) Math.max(1, keyless / Math.max(1, kinds));
    }

    @Override
    public String toString() {
        return "Victim[" + authority() + ", topic=" + topic + "]"; // without the secrets
    }
}
