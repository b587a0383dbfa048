// SPDX-License-Identifier: Apache-2.0
package org.talos.common.name;

/** Addresses of servers as clients and people read them. Immutable. */
public final class HostAndPort {
    private HostAndPort() {}

    /** Returns {@code host:port}, with an IPv6 address in brackets, as in a URI. */
    public static String of(String host, int port) {
        boolean isBare = host.indexOf(':') >= 0 && !host.startsWith("[");
        return (isBare ? "[" + host + "]" : host) + ":" + port;
    }
}
