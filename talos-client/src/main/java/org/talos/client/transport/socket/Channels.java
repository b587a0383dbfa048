// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport.socket;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.slf4j.LoggerFactory;

/** Creates, connects, and closes blocking channels. Immutable. */
public final class Channels implements Dialer.Sockets<SocketChannel> {
    @Override
    public SocketChannel make() throws IOException {
        return SocketChannel.open();
    }

    @Override
    public void connect(SocketChannel channel, InetSocketAddress to, Duration within) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        channel.socket().connect(to, (int) Math.max(1, Math.min(Integer.MAX_VALUE, within.toMillis())));
    }

    /** Closes a channel, at once and in any case. */
    public static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) { // the channel is closed nevertheless
            LoggerFactory.getLogger(Channels.class).debug("connection closed badly", e);
        }
    }
}
