// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;

/**
 * An address at which nobody listens, and which nobody else gets meanwhile: servers of other tests take the ports that
 * have just become free. Thread-safe.
 */
public final class Nobody implements AutoCloseable {
    private final Socket bound = new Socket();

    /** Takes an address. */
    public Nobody() throws IOException {
        bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** Returns an address at which connections are refused. */
    public URI uri() {
        return URI.create("http://127.0.0.1:" + bound.getLocalPort());
    }

    @Override
    public void close() throws IOException {
        bound.close();
    }
}
