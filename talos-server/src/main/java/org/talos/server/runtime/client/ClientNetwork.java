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
    private static final int NETWORK_BYTES = 8;
    private static final int SITE_BYTES = 6;
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
        return prefix(address, NETWORK_BYTES);
    }

    /**
     * Returns the site of an address, in which one client may have many networks: an IPv4 address, or the first 48 bits
     * of an IPv6 address, the most that providers usually give a customer.
     */
    public static String site(InetAddress address) {
        return prefix(address, SITE_BYTES);
    }

    private static String prefix(InetAddress address, int bytes) {
        return address instanceof Inet6Address
                ? HexFormat.of().formatHex(address.getAddress(), 0, bytes) + "/" + bytes * Byte.SIZE
                : address.getHostAddress();
    }
}
