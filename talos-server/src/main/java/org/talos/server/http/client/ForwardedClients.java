// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.client;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;
import org.talos.server.config.address.AddressRanges;

/**
 * Marks requests with the client that trusted proxies name. What anybody else says of a client is ignored.
 *
 * <p>Thread-safe.
 */
public final class ForwardedClients implements HttpConfiguration.Customizer {
    private final AddressRanges trusted;

    /** @param trusted proxies that are believed */
    public ForwardedClients(AddressRanges trusted) {
        this.trusted = trusted;
    }

    @Override
    public Request customize(Request request, HttpFields.Mutable answer) {
        ConnectionMetaData connection = request.getConnectionMetaData();
        // Not that of the connection's data, which may be older than a header of the PROXY protocol.
        SocketAddress end = connection.getConnection().getEndPoint().getRemoteSocketAddress();
        if (end instanceof InetSocketAddress remote && remote.getAddress() != null) {
            ProxyHeader header = header(connection);
            boolean isOverTls = RequestClient.isOverTls(connection) || (header != null && header.isOverTls());
            Optional<Forwarded> forwarded = header != null && header.client() == null
                    ? Optional.empty() // whoever the client is, it is not the proxy at the other end of the connection
                    : forwarded(remote.getAddress(), request.getHeaders());
            if (forwarded.isPresent()) {
                new RequestClient(
                                forwarded.get().client(),
                                forwarded.get().isOverTls().orElse(isOverTls))
                        .markOn(request);
            } else if (header != null) {
                new RequestClient(remote.getAddress(), isOverTls).markOn(request);
            }
        }
        return request;
    }

    private Optional<Forwarded> forwarded(InetAddress from, HttpFields fields) {
        return trusted.contains(from)
                ? Forwarded.read(
                        from,
                        values(fields, HttpHeader.X_FORWARDED_FOR),
                        values(fields, HttpHeader.X_FORWARDED_PROTO),
                        trusted)
                : Optional.empty();
    }

    private static List<String> values(HttpFields fields, HttpHeader header) {
        List<String> values = new ArrayList<>();
        for (HttpField field : fields) {
            if (field.getHeader() == header) {
                values.add(Objects.requireNonNullElse(field.getValue(), ""));
            }
        }
        return values;
    }

    private static @Nullable ProxyHeader header(ConnectionMetaData connection) {
        EndPoint endPoint = connection.getConnection().getEndPoint();
        EndPoint socket = endPoint instanceof SslConnection.SslEndPoint encrypted
                ? encrypted.getSslConnection().getEndPoint()
                : endPoint;
        return socket instanceof ProxiedEndPoint proxied ? proxied.proxyHeader() : null;
    }
}
