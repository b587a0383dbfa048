// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cost;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Locale;

/** A client of one connection that has no threads: sends bytes and reads what comes back. Confined: one thread. */
final class PlainClient implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 60_000;
    private static final int BINARY = 0x82; // and final
    private static final int MASKED = 0x80;
    private static final int LONG = 126;
    private static final int VERY_LONG = 127;

    private final Socket socket;
    private final DataInputStream in;

    PlainClient(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    /** The body of the answer, which must be a good one. */
    byte[] exchange(byte[] request) throws IOException {
        send(request);
        String head = head();
        int length = head.lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("content-length:"))
                .mapToInt(line ->
                        Integer.parseInt(line.substring(line.indexOf(':') + 1).strip()))
                .findFirst()
                .orElse(0);
        byte[] body = in.readNBytes(length);
        if (!head.startsWith("HTTP/1.1 2")) {
            throw new IOException(head + new String(body, ISO_8859_1));
        }
        return body;
    }

    /** Makes the connection a stream. */
    void upgrade(byte[] request) throws IOException {
        send(request);
        String head = head();
        if (!head.startsWith("HTTP/1.1 101")) {
            throw new IOException(head);
        }
    }

    /** Sends a message of a stream. */
    void frame(byte[] payload) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(14 + payload.length).put((byte) BINARY);
        if (payload.length < LONG) {
            frame.put((byte) (MASKED | payload.length));
        } else if (payload.length < 1 << 16) {
            frame.put((byte) (MASKED | LONG)).putShort((short) payload.length);
        } else {
            frame.put((byte) (MASKED | VERY_LONG)).putLong(payload.length);
        }
        frame.putInt(0).put(payload).flip(); // a mask of zeros
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        send(bytes);
    }

    /** The next message of a stream; the server sends each in one frame. */
    ByteBuffer message() throws IOException {
        in.readUnsignedByte();
        int length = in.readUnsignedByte();
        long bytes = length == LONG ? in.readUnsignedShort() : length == VERY_LONG ? in.readLong() : length;
        return ByteBuffer.wrap(in.readNBytes((int) bytes));
    }

    private void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    private String head() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int[] last = new int[4];
        while (last[0] != '\r' || last[1] != '\n' || last[2] != '\r' || last[3] != '\n') {
            System.arraycopy(last, 1, last, 0, 3);
            last[3] = in.readUnsignedByte();
            bytes.write(last[3]);
        }
        return bytes.toString(ISO_8859_1);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
