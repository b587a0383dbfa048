// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.synchronous;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * A server of a lean client whose answers are frames: a length of four bytes, then as many bytes. Immutable.
 *
 * @param address where it listens
 */
public record FramedServer(InetSocketAddress address) {
    private static final int LONGEST_ANSWER_MILLIS = 20_000;

    /** Returns the server at an address such as {@code 127.0.0.1:9092}. */
    public static FramedServer of(String address) {
        int colon = address.lastIndexOf(':');
        return new FramedServer(
                new InetSocketAddress(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))));
    }

    /** Opens a connection, which blocks and sends each request at once. */
    public SocketChannel connect() throws IOException {
        SocketChannel channel = SocketChannel.open(address);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        return channel;
    }

    /** Takes the answer at the position of a buffer, without its length; null as long as it is not whole. */
    public static @Nullable ByteBuffer answer(ByteBuffer in) {
        if (in.remaining() < Integer.BYTES) {
            return null;
        }
        int from = in.position() + Integer.BYTES;
        int length = in.getInt(in.position());
        if (in.limit() - from < length) {
            return null;
        }
        in.position(from + length);
        return in.slice(from, length);
    }

    /**
     * Sends a request on a connection that blocks, and waits for its answer, which it returns without its length.
     *
     * @param name of the request, for people
     * @throws IOException the connection is broken, or there is no answer in time
     */
    public ByteBuffer call(SocketChannel channel, ByteBuffer request, String name) throws IOException {
        while (request.hasRemaining()) {
            var unused = channel.write(request);
        }
        channel.socket().setSoTimeout(LONGEST_ANSWER_MILLIS); // a read of the channel itself knows none
        DataInputStream in = new DataInputStream(channel.socket().getInputStream());
        try {
            byte[] answer = new byte[in.readInt()];
            in.readFully(answer);
            return ByteBuffer.wrap(answer);
        } catch (EOFException e) {
            throw new IOException("connection closed by the server", e);
        } catch (SocketTimeoutException e) {
            throw new IOException(address + ": no answer to " + name + " within " + LONGEST_ANSWER_MILLIS + " ms", e);
        }
    }
}
