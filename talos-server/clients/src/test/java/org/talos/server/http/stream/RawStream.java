// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import org.talos.client.TalosEndpoint;

/**
 * A stream's client that sends the bytes it is given and no others: for frames that no library would send. Confined:
 * one thread.
 */
final class RawStream implements AutoCloseable {
    static final int BINARY = 0x82; // and final
    static final int TEXT = 0x81;
    static final int PING = 0x89;
    static final int CONTINUATION = 0x80;
    static final int CLOSE = 0x88;

    private static final int TIMEOUT_MILLIS = 20_000;
    private static final int LONG = 126;
    private static final int VERY_LONG = 127;

    private final Socket socket;
    private final DataInputStream in;
    private final String head;

    /** Asks for a stream, as a library would, but for the further headers. */
    RawStream(TalosEndpoint server, String pathAndQuery, String... further) throws IOException {
        this(server, pathAndQuery, List.of("Authorization: " + StreamClient.basic(server)), further);
    }

    RawStream(TalosEndpoint server, String pathAndQuery, List<String> credentials, String... further)
            throws IOException {
        this(connect(server), request(pathAndQuery, credentials, further));
    }

    /** Asks by a request of whatever bytes. */
    RawStream(Socket connected, byte[] request) throws IOException {
        socket = connected;
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        send(request);
        head = readHead();
    }

    /** A connection on which nothing has been asked for. */
    static Socket connect(TalosEndpoint server) throws IOException {
        Socket connected =
                new Socket(InetAddress.getLoopbackAddress(), server.uri().getPort());
        connected.setSoTimeout(TIMEOUT_MILLIS);
        connected.setTcpNoDelay(true);
        return connected;
    }

    /** As a library would ask for a stream, but for the further headers. */
    static byte[] request(TalosEndpoint server, String pathAndQuery, String... further) {
        return request(pathAndQuery, List.of("Authorization: " + StreamClient.basic(server)), further);
    }

    private static byte[] request(String pathAndQuery, List<String> credentials, String... further) {
        StringBuilder request = new StringBuilder("GET " + pathAndQuery + " HTTP/1.1\r\nHost: localhost\r\n"
                + "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n");
        credentials.forEach(each -> request.append(each).append("\r\n"));
        List.of(further).forEach(each -> request.append(each).append("\r\n"));
        if (!request.toString().contains("Sec-WebSocket-Protocol")) {
            request.append("Sec-WebSocket-Protocol: talos.v1\r\n");
        }
        return request.append("\r\n").toString().getBytes(ISO_8859_1);
    }

    private String readHead() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        while (!bytes.toString(ISO_8859_1).endsWith("\r\n\r\n")) {
            bytes.write(in.readUnsignedByte());
        }
        return bytes.toString(ISO_8859_1);
    }

    int status() {
        return Integer.parseInt(head.split(" ", 3)[1]);
    }

    String head() {
        return head;
    }

    /** The body of an answer that is not a stream. */
    String body() throws IOException {
        int length = head.lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("content-length:"))
                .mapToInt(line ->
                        Integer.parseInt(line.substring(line.indexOf(':') + 1).strip()))
                .findFirst()
                .orElse(0);
        return new String(in.readNBytes(length), ISO_8859_1);
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }

    /** Sends a frame with a mask of zeros. */
    void frame(int first, byte[] payload) throws IOException {
        frame(first, payload.length, payload);
    }

    /** Sends a frame that may claim another length than it has. */
    void frame(int first, long claimed, byte[] payload) throws IOException {
        send(framed(first, claimed, payload));
    }

    static byte[] framed(int first, long claimed, byte[] payload) {
        ByteBuffer frame = ByteBuffer.allocate(14 + payload.length).put((byte) first);
        if (claimed >= 0 && claimed < LONG) {
            frame.put((byte) (0x80 | claimed));
        } else if (claimed >= 0 && claimed < 1 << 16) {
            frame.put((byte) (0x80 | LONG)).putShort((short) claimed);
        } else {
            frame.put((byte) (0x80 | VERY_LONG)).putLong(claimed);
        }
        frame.putInt(0).put(payload).flip();
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        return bytes;
    }

    /** One byte of what the server has sent; -1 at the end. */
    int readByte() throws IOException {
        return in.read();
    }

    /** The next message of the server, in one frame or several; what carries none is skipped. */
    Received next() throws IOException {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        while (true) {
            int first = in.readUnsignedByte();
            byte[] payload = payload();
            if ((first & 0x08) == 0) {
                message.write(payload);
                if ((first & 0x80) != 0) {
                    return new Received(message.toByteArray());
                }
            }
        }
    }

    private byte[] payload() throws IOException {
        int length = in.readUnsignedByte();
        long bytes = length == LONG ? in.readUnsignedShort() : length == VERY_LONG ? in.readLong() : length;
        byte[] payload = in.readNBytes((int) bytes);
        if (payload.length < bytes) {
            throw new EOFException("a frame that ends");
        }
        return payload;
    }

    /** The code with which the server closes the stream, whatever comes before. */
    int closeCode() throws IOException {
        while (true) {
            int first = in.readUnsignedByte();
            byte[] payload = payload();
            if (first == CLOSE) {
                return ByteBuffer.wrap(payload).getShort();
            }
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
