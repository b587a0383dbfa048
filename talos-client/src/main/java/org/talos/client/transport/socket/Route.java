// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport.socket;

import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.util.List;

/**
 * How a server is reached: at its own address, or by a proxy. Immutable.
 *
 * @param server scheme ({@code http} or {@code https}), host and port
 */
public record Route(URI server, Proxy proxy) {
    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;

    /** Returns the way that the program's {@link ProxySelector} prefers. */
    public static Route to(URI server) {
        ProxySelector selector = ProxySelector.getDefault();
        List<Proxy> proxies = selector == null ? List.of() : selector.select(server);
        return new Route(server, proxies.isEmpty() ? Proxy.NO_PROXY : proxies.get(0));
    }

    /** Returns whether the connection to the server uses TLS. */
    public boolean isSecure() {
        return server.getScheme().equals("https");
    }

    /** Returns whether HTTP begins as soon as the server is connected to. */
    public boolean isStraight() {
        return !isSecure() && (proxy.type() == Proxy.Type.DIRECT || isPassedOn());
    }

    /** Returns whether requests of HTTP go to a proxy of HTTP that passes them on, and so name the server. */
    public boolean isPassedOn() {
        return proxy.type() == Proxy.Type.HTTP && !isSecure();
    }

    /** Returns the server's name or address, an IPv6 one without brackets. */
    String host() {
        String host = server.getHost();
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    /** Returns the server's port. */
    int port() {
        return server.getPort() >= 0 ? server.getPort() : isSecure() ? HTTPS_PORT : HTTP_PORT;
    }

    /** Returns the peer to connect to: the server, or the proxy. It need not have an address yet. */
    InetSocketAddress first() {
        return proxy.address() instanceof InetSocketAddress address
                ? address
                : InetSocketAddress.createUnresolved(host(), port());
    }
}
