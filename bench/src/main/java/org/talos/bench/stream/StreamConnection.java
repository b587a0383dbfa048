// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.stream;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.SplittableRandom;
import org.talos.common.auth.Credential;

/**
 * The client's end of a stream (docs/formats/stream.md), which costs as little as a client can: messages are masked
 * with zero, which changes no byte, and go to the system as they are.
 *
 * <p>Thread-safe for one thread that writes and one that reads.
 */
public final class StreamConnection implements AutoCloseable {
    /** Of a PUT_MESSAGE without a key, before its bytes: what it costs beside them. */
    public static final int HEAD_BYTES = 28;

    private static final int PUT_MESSAGE = 2;
    private static final int BINARY = 0x82; // the last frame of its message
    private static final int CLOSE = 8;
    private static final int MASKED_LONG = 0xff;
    private static final int FRAME_HEAD_BYTES = 14;
    private static final int OP_CODE = 0x0f;
    private static final int SHORT_LENGTH = 126;
    private static final int LONG_LENGTH = 127;
    private static final int READ_BYTES = 16 << 10;

    private final SocketChannel socket;
    private final DataInputStream in;
    private final ByteBuffer head = ByteBuffer.allocateDirect(FRAME_HEAD_BYTES + HEAD_BYTES);

    private StreamConnection(SocketChannel socket) {
        this.socket = socket;
        in = new DataInputStream(new BufferedInputStream(Channels.newInputStream(socket), READ_BYTES));
    }

    /**
     * Opens a stream.
     *
     * @param host of the server, with port, as the request names it
     * @throws IOException there is no connection, or the server refuses the stream
     */
    public static StreamConnection open(
            InetSocketAddress server, String host, Credential credential, String topic, int window) throws IOException {
        return openWith(server, host, credential, topic, "window=" + window);
    }

    /**
     * Like the overload without a producer, for puts that are recognized when they are repeated.
     *
     * @param producer identity of the puts, unique to one producer of a user
     */
    public static StreamConnection open(
            InetSocketAddress server, String host, Credential credential, String topic, int window, String producer)
            throws IOException {
        return openWith(server, host, credential, topic, "window=" + window + "&producer=" + producer);
    }

    private static StreamConnection openWith(
            InetSocketAddress server, String host, Credential credential, String topic, String query)
            throws IOException {
        StreamConnection opened = new StreamConnection(SocketChannel.open(server));
        try {
            opened.socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
            opened.upgrade(host, credential, topic, query);
            var unused = opened.read(); // OPENED
            return opened;
        } catch (IOException e) {
            opened.close();
            throw e;
        }
    }

    private void upgrade(String host, Credential credential, String topic, String query) throws IOException {
        String pair = credential.keyId() + ":" + credential.secret();
        byte[] key = new byte[16];
        new SplittableRandom().nextBytes(key);
        Base64.Encoder base64 = Base64.getEncoder();
        String request = "GET /v1/topics/" + topic + "/stream?" + query + " HTTP/1.1\r\nHost: " + host
                + "\r\nAuthorization: Basic " + base64.encodeToString(pair.getBytes(StandardCharsets.UTF_8))
                + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13"
                + "\r\nSec-WebSocket-Protocol: talos.v1\r\nSec-WebSocket-Key: " + base64.encodeToString(key)
                + "\r\n\r\n";
        write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
        String status = line();
        if (!status.startsWith("HTTP/1.1 101 ")) {
            throw new IOException("no stream: " + status);
        }
        while (!line().isEmpty()) {
            // the other fields say nothing that is not known
        }
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.readUnsignedByte(); next != '\n'; next = in.readUnsignedByte()) {
            line.append((char) next);
        }
        return line.toString().strip();
    }

    private void write(ByteBuffer... buffers) throws IOException {
        ByteBuffer last = buffers[buffers.length - 1];
        while (last.hasRemaining()) {
            socket.write(buffers);
        }
    }

    /** Puts a message several times with one write, and returns once the system has taken it. */
    public void putEach(int partition, long firstNumber, int times, ByteBuffer message) throws IOException {
        ByteBuffer frames = ByteBuffer.allocate(times * (FRAME_HEAD_BYTES + HEAD_BYTES + message.remaining()));
        for (int i = 0; i < times; i++) {
            head(partition, firstNumber + i, message.remaining());
            frames.put(head).put(message.duplicate());
        }
        write(frames.flip());
    }

    /** Puts a message, and returns once the system has taken it. */
    public void put(int partition, long number, ByteBuffer message) throws IOException {
        head(partition, number, message.remaining());
        write(head, message);
    }

    private void head(int partition, long number, int bytes) {
        head.clear()
                .put((byte) BINARY)
                .put((byte) MASKED_LONG)
                .putLong(HEAD_BYTES + (long) bytes)
                .putInt(0) // the mask
                .put((byte) PUT_MESSAGE)
                .put((byte) 0)
                .putShort((short) 0)
                .putInt(partition)
                .putLong(number)
                .putLong(System.currentTimeMillis())
                .putInt(bytes)
                .flip();
    }

    /**
     * The next message of the server. The server cuts none of those that a client gets who only puts.
     *
     * @throws IOException the connection is broken, or the server has closed it and said why
     */
    public ByteBuffer read() throws IOException {
        while (true) {
            int opCode = in.readUnsignedByte() & OP_CODE;
            int length = in.readUnsignedByte();
            if (length == SHORT_LENGTH) {
                length = in.readUnsignedShort();
            } else if (length == LONG_LENGTH) {
                length = Math.toIntExact(in.readLong());
            }
            byte[] message = new byte[length];
            in.readFully(message);
            if (opCode == CLOSE) {
                throw new IOException("closed by the server: " + new String(message, StandardCharsets.UTF_8));
            }
            if (opCode == (BINARY & OP_CODE)) {
                return ByteBuffer.wrap(message);
            }
        }
    }

    /**
     * Returns the connection for a caller that writes and reads it itself, instead of this object. The server has sent
     * nothing yet that was not read.
     */
    public SocketChannel channel() {
        return socket;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
