// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** This machine's address as it stands in the names of members, for people who look at a group. Immutable. */
final class MemberAddress {
    private MemberAddress() {}

    /** With underscores for dots, or {@code unknown}: it identifies nothing. */
    static String local() {
        try {
            return InetAddress.getLocalHost()
                    .getHostAddress()
                    .replaceAll("[^0-9a-zA-Z]", "_")
                    .replaceFirst("^_+", "");
        } catch (UnknownHostException none) {
            return "unknown"; // a machine without a name of its own
        }
    }
}
