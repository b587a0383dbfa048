// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.client;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import org.talos.server.config.address.AddressRanges;
import org.talos.server.runtime.client.ClientNetwork;

/**
 * The sender of a request. Without a proxy that is the other end of its connection. If trusted proxies say something of
 * the request, or of its connection, it is the client that they name, and it never counts as a program of this machine.
 *
 * <p>Immutable.
 */
public final class RequestClient {
    private static final String ATTRIBUTE = RequestClient.class.getName();
    private static final String UNKNOWN = "unknown";

    private final InetAddress address;
    private final boolean isOverTls;

    /** A client that proxies name. */
    RequestClient(InetAddress address, boolean isOverTls) {
        this.address = address;
        this.isOverTls = isOverTls;
    }

    /** Marks the request as this client's. */
    void markOn(Request request) {
        request.setAttribute(ATTRIBUTE, this);
    }

    private static @Nullable RequestClient named(Request request) {
        return request.getAttribute(ATTRIBUTE) instanceof RequestClient client ? client : null;
    }

    private static @Nullable InetAddress addressOf(Request request) {
        RequestClient named = named(request);
        if (named != null) {
            return named.address;
        }
        SocketAddress remote = request.getConnectionMetaData().getRemoteSocketAddress();
        return remote instanceof InetSocketAddress internet ? internet.getAddress() : null;
    }

    /** Returns the client's address, as logs show it. */
    public static String address(Request request) {
        InetAddress address = addressOf(request);
        return address == null ? UNKNOWN : address.getHostAddress();
    }

    /** Returns the network that counts as this client. */
    public static String network(Request request) {
        RequestClient named = named(request);
        return named == null
                ? ClientNetwork.of(request.getConnectionMetaData().getRemoteSocketAddress())
                : ClientNetwork.of(named.address);
    }

    /** Returns the site of this client, in which it may have many networks. */
    public static String site(Request request) {
        InetAddress address = addressOf(request);
        return address == null ? UNKNOWN : ClientNetwork.site(address);
    }

    /** Returns whether the client speaks TLS, with this server or with a proxy that is trusted. */
    public static boolean isOverTls(Request request) {
        RequestClient named = named(request);
        return named == null ? isOverTls(request.getConnectionMetaData()) : named.isOverTls;
    }

    /**
     * Returns whether the connection itself uses TLS: Jetty believes the scheme that a client writes into its request.
     */
    static boolean isOverTls(ConnectionMetaData connection) {
        return connection.isSecure();
    }

    /**
     * Returns whether bytes that the client sends without TLS reach only programs that may read them: on this machine,
     * or in a network that an operator has named. Also for a client behind an unknown proxy.
     *
     * @param networks that an operator has named
     */
    public static boolean isNear(Request request, AddressRanges networks) {
        InetAddress address = named(request) == null ? addressOf(request) : null;
        return address != null && (address.isLoopbackAddress() || networks.contains(address));
    }
}
