// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.nio.channels.SelectableChannel;

/** Is notified of headers of the PROXY protocol. Thread-safe. */
public interface ProxyListener {
    /** Returns whether a connection of a client may stay. If not, it is closed. */
    boolean admits(SelectableChannel channel, InetAddress client);

    /** A connection of a proxy ends, as it did not begin with a header. */
    void refused(SocketAddress proxy, IOException why);
}
