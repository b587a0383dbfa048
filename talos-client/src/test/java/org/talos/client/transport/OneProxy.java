// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;

/** One proxy for all that a program asks. Immutable. */
public final class OneProxy extends ProxySelector {
    private final Proxy.Type type;
    private final URI proxy;

    /** A proxy of HTTP. */
    public OneProxy(URI proxy) {
        this(Proxy.Type.HTTP, proxy);
    }

    /** @param proxy its host and port */
    OneProxy(Proxy.Type type, URI proxy) {
        this.type = type;
        this.proxy = proxy;
    }

    @Override
    public List<Proxy> select(URI server) {
        return List.of(new Proxy(type, new InetSocketAddress(proxy.getHost(), proxy.getPort())));
    }

    @Override
    public void connectFailed(URI server, SocketAddress address, IOException failure) {
        throw new AssertionError(failure);
    }
}
