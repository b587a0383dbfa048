// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/2 in the clear for those who begin with it. An {@code Upgrade} is passed over, and its request served as
 * HTTP/1.1, which clients are prepared for: behind an upgrade that a proxy lets through, it would see no requests.
 *
 * <p>Thread-safe.
 */
final class PriorKnowledge extends HTTP2CServerConnectionFactory {
    PriorKnowledge(HttpConfiguration http) {
        super(http);
    }

    @Override
    public @Nullable Connection upgradeConnection(
            Connector connector, EndPoint endPoint, MetaData.Request request, HttpFields.Mutable response) {
        return HttpMethod.PRI.is(request.getMethod())
                ? super.upgradeConnection(connector, endPoint, request, response)
                : null;
    }
}
