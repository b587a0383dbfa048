// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.client;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HexFormat;

/**
 * The network that counts as one client: an IPv4 address, or the first 64 bits of an IPv6 address, within which a
 * client chooses its addresses freely.
 *
 * <p>Immutable.
 */
public final class ClientNetwork {
    private static final int PREFIX_BYTES = 8;
    private static final String UNKNOWN = "unknown";

    private ClientNetwork() {}

    /** Returns the network of a connection's other end; all ends that have no IP address are one. */
    public static String of(SocketAddress remote) {
        return remote instanceof InetSocketAddress internet && internet.getAddress() != null
                ? of(internet.getAddress())
                : UNKNOWN;
    }

    /** Returns the network of an address. */
    public static String of(InetAddress address) {
        return address instanceof Inet6Address
                ? HexFormat.of().formatHex(address.getAddress(), 0, PREFIX_BYTES) + "/64"
                : address.getHostAddress();
    }
}
