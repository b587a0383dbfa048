// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A relay to a port of 127.0.0.1 that delays bytes by the same time in each direction, for kernels that cannot delay
 * packets. Bytes in flight are kept here, so a connection's rate is not bounded by the delay as that of a long line
 * would be.
 *
 * <p>Confined: main.
 */
public final class TcpRelay {
    /** The port that it connects to. */
    static final String PORT_VARIABLE = "TALOS_RELAY_PORT";

    /** Milliseconds in each direction. */
    static final String DELAY_VARIABLE = "TALOS_RELAY_DELAY_MILLIS";

    private static final Logger LOG = LoggerFactory.getLogger(TcpRelay.class);

    private TcpRelay() {}

    /** Listens on a free port until it is ended. */
    public static void main(String[] arguments) throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        InetSocketAddress target = new InetSocketAddress(loopback, Integer.parseInt(System.getenv(PORT_VARIABLE)));
        int delayMillis = Integer.parseInt(System.getenv(DELAY_VARIABLE));
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(loopback, 0));
            System.out.println(
                    "talos: serving tcp://127.0.0.1:" + server.socket().getLocalPort());
            while (true) {
                connect(server.accept(), target, delayMillis);
            }
        }
    }

    private static void connect(SocketChannel client, InetSocketAddress target, int delayMillis) throws IOException {
        try {
            SocketChannel server = SocketChannel.open(target);
            client.setOption(StandardSocketOptions.TCP_NODELAY, true);
            server.setOption(StandardSocketOptions.TCP_NODELAY, true);
            DelayedBytes.start(client, server, delayMillis);
            DelayedBytes.start(server, client, delayMillis);
        } catch (IOException e) {
            LOG.warn("not relayed target={} reason={}", target, e.toString());
            client.close(); // the client learns of it by that, as from a server that is missing
        }
    }
}
