// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.util.ArrayList;
import java.util.List;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpMethod;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http2.server.AbstractHTTP2ServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.RateControl;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.jspecify.annotations.Nullable;
import org.talos.server.config.HttpConfig;
import org.talos.server.http.client.ForwardedClients;
import org.talos.server.http.connection.BoundedHeads;
import org.talos.server.http.fairness.SharedEvents;
import org.talos.server.http.tls.FrontTls;

/**
 * Creates the protocols of a port: HTTP/1.1 and HTTP/2, in clear or under TLS, with the limits of their heads, streams,
 * and events.
 *
 * <p>Confined: the thread that makes the port.
 */
final class HttpProtocols {
    private static final int MAX_HEADER_BYTES = 16 << 10;
    private static final int MAX_STREAMS = 128;
    private static final int BUFFER_BYTES = 16 << 10;

    private final HttpConfig config;
    private final FrontTls tls;
    private final SharedEvents events;

    /** @param events counts those of HTTP/2 */
    HttpProtocols(HttpConfig config, FrontTls tls, SharedEvents events) {
        this.config = config;
        this.tls = tls;
        this.events = events;
    }

    /** Returns the protocols, the first of which a connection begins with. */
    ConnectionFactory[] factories() {
        HttpConfiguration http = new HttpConfiguration();
        http.setSendServerVersion(false);
        http.setSendXPoweredBy(false);
        http.setRequestHeaderSize(MAX_HEADER_BYTES);
        http.setInputBufferSize(BUFFER_BYTES);
        http.setHeaderCacheSize(0); // digests and signatures never repeat: caching them only costs
        http.setHttpCompliance(HttpCompliance.STRICT); // no bare line feed ends a header
        http.setUriCompliance(UriCompliance.DEFAULT);
        List<ConnectionFactory> factories = new ArrayList<>();
        HttpConnectionFactory http1 = new BoundedHeads(http);
        if (!config.proxies().isEmpty()) {
            http.addCustomizer(new ForwardedClients(config.proxies())); // behind the bound of fields
        }
        if (!tls.enabled()) {
            factories.add(http1);
            factories.add(bounded(new PriorKnowledge(http)));
            return factories.toArray(ConnectionFactory[]::new);
        }
        http.addCustomizer(new SecureRequestCustomizer(false));
        ALPNServerConnectionFactory alpn = new ALPNServerConnectionFactory();
        alpn.setDefaultProtocol(http1.getProtocol());
        SslConnectionFactory ssl = new SslConnectionFactory(tls.factory(), alpn.getProtocol());
        ssl.setDirectBuffersForEncryption(true); // an incomplete record takes no heap, and is not copied for reading
        factories.add(ssl);
        factories.add(alpn);
        factories.add(bounded(new HTTP2ServerConnectionFactory(http)));
        factories.add(http1);
        return factories.toArray(ConnectionFactory[]::new);
    }

    private ConnectionFactory bounded(AbstractHTTP2ServerConnectionFactory http2) {
        http2.setMaxConcurrentStreams(MAX_STREAMS);
        http2.setRateControlFactory(new RateControl.Factory() {
            @Override
            public RateControl newRateControl(EndPoint endPoint) {
                return SelectorConnector.countedBy(events, endPoint);
            }
        });
        http2.setFlowControlStrategyFactory(RefusedStreams::flowControl);
        return http2;
    }

    /**
     * HTTP/2 in the clear for clients that begin with it. An {@code Upgrade} is ignored, and its request is served as
     * HTTP/1.1, which clients are prepared for. Behind an upgrade, a proxy that allows it would see no requests.
     * Thread-safe.
     */
    private static final class PriorKnowledge extends HTTP2CServerConnectionFactory {
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
}
