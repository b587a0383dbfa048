// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A client of HTTP/2 that writes its frames by hand, sees each frame as it came, and leaves little room between itself
 * and the server: what is not read waits in the server. Confined: one thread.
 */
final class RawHttp2 implements AutoCloseable {
    static final int DATA = 0;

    private static final int HEADERS = 1;
    private static final int RESET = 3;
    private static final int SETTINGS = 4;
    private static final int WINDOW_UPDATE = 8;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int ENABLE_CONNECT = 8; // RFC 8441
    private static final int INITIAL_WINDOW = 4;
    private static final int WINDOW_BYTES = 1 << 30;
    private static final int SMALL_BUFFER_BYTES = 16 << 10; // of the socket
    private static final int TIMEOUT_MILLIS = 20_000;
    private static final int CANCEL = 8;

    private final Socket socket = new Socket();
    private final ByteArrayOutputStream unsent = new ByteArrayOutputStream();
    private final DataInputStream in;
    private int lastStream = -1;

    RawHttp2(int port) throws IOException {
        socket.setReceiveBufferSize(SMALL_BUFFER_BYTES); // before it connects: the window of TCP follows it
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        unsent.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII));
        ByteBuffer settings = ByteBuffer.allocate(12);
        settings.putShort((short) INITIAL_WINDOW).putInt(WINDOW_BYTES);
        settings.putShort((short) ENABLE_CONNECT).putInt(1);
        frame(SETTINGS, 0, 0, settings.array());
        frame(WINDOW_UPDATE, 0, 0, integer(WINDOW_BYTES));
    }

    /** A frame of the server. Immutable. */
    @SuppressWarnings("ArrayRecordComponent") // its reader alone has it
    record Frame(int type, int stream, byte[] payload) {}

    private static byte[] integer(int value) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
    }

    private void frame(int type, int flags, int stream, byte[] payload) {
        unsent.write(payload.length >> 16);
        unsent.write(payload.length >> 8);
        unsent.write(payload.length);
        unsent.write(type);
        unsent.write(flags);
        unsent.writeBytes(integer(stream));
        unsent.writeBytes(payload);
    }

    /** Sends all frames that were added; nothing once the server has ended the connection. */
    void flush() throws IOException {
        byte[] bytes = unsent.toByteArray();
        unsent.reset();
        try {
            socket.getOutputStream().write(bytes);
        } catch (SocketException e) {
            unsent.reset(); // what it sent before is read all the same
        }
    }

    /** Opens a stream with a GET and returns its number. */
    int get(String path) {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        header(head, ":method", "GET");
        header(head, ":scheme", "http");
        header(head, ":authority", "localhost");
        header(head, ":path", path);
        return open(head, END_STREAM);
    }

    /** Opens a stream with a WebSocket (RFC 8441) and returns its number; the further headers are names and values. */
    int webSocket(String path, String... further) {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        header(head, ":method", "CONNECT");
        header(head, ":protocol", "websocket");
        header(head, ":scheme", "http");
        header(head, ":authority", "localhost");
        header(head, ":path", path);
        for (int i = 0; i < further.length; i += 2) {
            header(head, further[i], further[i + 1]);
        }
        return open(head, 0);
    }

    private int open(ByteArrayOutputStream head, int flags) {
        lastStream += 2;
        frame(HEADERS, END_HEADERS | flags, lastStream, head.toByteArray());
        return lastStream;
    }

    /** A literal without indexing, by its name (RFC 7541, 6.2.2). */
    private static void header(ByteArrayOutputStream head, String name, String value) {
        head.write(0);
        text(head, name);
        text(head, value);
    }

    private static void text(ByteArrayOutputStream head, String text) {
        byte[] bytes = text.getBytes(ISO_8859_1);
        int prefix = 127;
        if (bytes.length < prefix) {
            head.write(bytes.length);
        } else {
            head.write(prefix);
            int rest = bytes.length - prefix;
            for (; rest >= 128; rest >>= 7) {
                head.write((rest & 127) | 128);
            }
            head.write(rest);
        }
        head.writeBytes(bytes);
    }

    /** Adds bytes of a stream. */
    void data(int stream, byte[] bytes) {
        frame(DATA, 0, stream, bytes);
    }

    /** Adds the reset of a stream. */
    void reset(int stream) {
        frame(RESET, 0, stream, integer(CANCEL));
    }

    /** Returns the server's next frame; null at the end of the connection. */
    @Nullable
    Frame next() throws IOException {
        try {
            int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
            int type = in.readUnsignedByte();
            in.readUnsignedByte();
            int stream = in.readInt();
            byte[] payload = new byte[length];
            in.readFully(payload);
            return new Frame(type, stream, payload);
        } catch (EOFException | SocketException e) {
            return null;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
