// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer.group;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** This machine's address as part of a member's name, for operators who inspect a group. Immutable. */
public final class MemberAddress {
    private MemberAddress() {}

    /** Returns the address with underscores for dots, or {@code unknown}; nothing depends on it. */
    public static String local() {
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
