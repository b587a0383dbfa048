// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A TCP server that reads bodies, a thread for each connection, and answers each with a few bytes: the upper bound for
 * any server that processes them. A request is eight bytes that say how many follow, and those.
 *
 * <p>Confined: main.
 */
public final class TcpSink {
    /** Of a request, before its bytes. */
    static final int HEAD_BYTES = 8;

    private static final Logger LOG = LoggerFactory.getLogger(TcpSink.class);
    private static final int READ_BYTES = 256 << 10;
    private static final byte[] ANSWER =
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private TcpSink() {}

    /** Listens on a free port of 127.0.0.1 until it is ended. */
    public static void main(String[] arguments) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            System.out.println(
                    "talos: serving tcp://127.0.0.1:" + server.socket().getLocalPort());
            while (true) {
                SocketChannel client = server.accept();
                new Thread(() -> serve(client), "sink").start();
            }
        }
    }

    private static void serve(SocketChannel client) {
        try (client) {
            client.setOption(StandardSocketOptions.TCP_NODELAY, true);
            ByteBuffer in = ByteBuffer.allocateDirect(READ_BYTES);
            while (fill(client, in.clear().limit(HEAD_BYTES))) {
                long left = in.getLong(0);
                while (left > 0) {
                    in.clear().limit((int) Math.min(left, READ_BYTES));
                    int read = client.read(in);
                    if (read < 0) {
                        return;
                    }
                    left -= read;
                }
                ByteBuffer answer = ByteBuffer.wrap(ANSWER);
                while (answer.hasRemaining()) {
                    client.write(answer);
                }
            }
        } catch (IOException e) {
            LOG.debug("connection broken", e);
        }
    }

    /** Fills the buffer; false if the connection ended before. */
    private static boolean fill(SocketChannel client, ByteBuffer in) throws IOException {
        while (in.hasRemaining()) {
            if (client.read(in) < 0) {
                return false;
            }
        }
        return true;
    }
}
