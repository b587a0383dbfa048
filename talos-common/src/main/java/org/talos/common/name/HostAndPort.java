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

    /** Returns a host without the brackets that an IPv6 address may have. */
    public static String bare(String host) {
        return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    }
}
