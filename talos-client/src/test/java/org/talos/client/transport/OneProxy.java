// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;

/** One HTTP proxy for all that a program asks. Immutable. */
public final class OneProxy extends ProxySelector {
    private final URI proxy;

    /** @param proxy its host and port */
    public OneProxy(URI proxy) {
        this.proxy = proxy;
    }

    @Override
    public List<Proxy> select(URI server) {
        return List.of(new Proxy(Proxy.Type.HTTP, new InetSocketAddress(proxy.getHost(), proxy.getPort())));
    }

    @Override
    public void connectFailed(URI server, SocketAddress address, IOException failure) {
        throw new AssertionError(failure);
    }
}
