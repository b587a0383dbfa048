// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.talos.client.transport.AnswerHead;
import org.talos.client.transport.socket.Channels;
import org.talos.client.transport.socket.Route;
import org.talos.client.transport.socket.Wire;
import org.talos.client.transport.socket.Wires;

/**
 * The client's end of a WebSocket (RFC 6455), with or without TLS; frames are read by one thread and written by
 * another. The JDK's client takes one message at a time and passes each through several threads' hands.
 *
 * <p>Thread-safe, but for reader and writer.
 */
final class WebSocket implements AutoCloseable {
    private static final String ACCEPTED_BY = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static final int KEY_BYTES = 16;
    private static final int SWITCHING_PROTOCOLS = 101;
    private static final int MOST_HEAD_BYTES = 64 << 10;
    private static final int MOST_REFUSAL_BYTES = 16 << 10;

    private final SocketChannel connection;
    private final FrameReader reader;
    private final FrameWriter writer;

    /** @param connection the TCP connection, even with TLS */
    private WebSocket(SocketChannel connection, Wire wire, int mostBytes) {
        this.connection = connection;
        reader = new FrameReader(wire, mostBytes);
        writer = new FrameWriter(wire);
    }

    /**
     * A request and its target. Immutable.
     *
     * @param server scheme, host and port; its path is in the target
     * @param target path and query
     * @param headers besides those of every WebSocket
     * @param timeout until the server has answered
     * @param mostBytes of a message that it may send
     */
    record Request(
            URI server,
            String target,
            String subprotocol,
            Map<String, String> headers,
            Duration timeout,
            int mostBytes) {
        Request {
            headers = Map.copyOf(headers);
        }
    }

    /**
     * Opens a WebSocket, and waits until it is open.
     *
     * @throws UpgradeRefusedException the server has answered without opening a stream
     * @throws IOException there is no answer
     */
    static WebSocket open(Request request, Wires wires, LongSupplier nanos) throws IOException {
        long deadline = nanos.getAsLong() + request.timeout().toNanos();
        Route route = Route.to(request.server());
        SocketChannel connected = wires.connect(route, request.timeout());
        CompletableFuture<@Nullable Void> opening = new CompletableFuture<>();
        var unused = opening.orTimeout(deadline - nanos.getAsLong(), TimeUnit.NANOSECONDS)
                .exceptionally(late -> giveUp(connected));
        try {
            WebSocket opened = upgraded(request, connected, wires.forStream(route, connected));
            if (opening.complete(null)) {
                return opened;
            }
            throw new SocketException("closed meanwhile");
        } catch (IOException | RuntimeException | Error e) { // Errors too: nothing else would close the socket
            Channels.close(connected);
            if (opening.complete(null)) {
                throw e;
            }
            throw late(request, e);
        }
    }

    private static @Nullable Void giveUp(SocketChannel connected) {
        Channels.close(connected);
        return null;
    }

    private static SocketTimeoutException late(Request request, Throwable e) {
        SocketTimeoutException late = new SocketTimeoutException("no stream was opened within " + request.timeout());
        late.initCause(e);
        return late;
    }

    private static WebSocket upgraded(Request request, SocketChannel connected, Wire wire) throws IOException {
        String key = key();
        wire.write(List.of(ByteBuffer.wrap(head(request, key).getBytes(StandardCharsets.ISO_8859_1))));
        require(answer(wire), key, request, wire);
        return new WebSocket(connected, wire, request.mostBytes());
    }

    private static String key() {
        byte[] key = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(key);
        return Base64.getEncoder().encodeToString(key);
    }

    private static String head(Request request, String key) {
        StringBuilder head = new StringBuilder("GET " + request.target() + " HTTP/1.1\r\n");
        head.append("Host: ").append(request.server().getRawAuthority()).append("\r\n");
        head.append("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n");
        head.append("Sec-WebSocket-Key: ").append(key).append("\r\n");
        head.append("Sec-WebSocket-Protocol: ").append(request.subprotocol()).append("\r\n");
        request.headers()
                .forEach((name, value) ->
                        head.append(name).append(": ").append(value).append("\r\n"));
        return head.append("\r\n").toString();
    }

    private static AnswerHead answer(Wire in) throws IOException {
        int[] left = {MOST_HEAD_BYTES};
        AnswerHead head = new AnswerHead(line(in, left));
        for (String line = line(in, left); !line.isEmpty(); line = line(in, left)) {
            head.add(line);
        }
        return head;
    }

    private static String line(Wire in, int[] left) throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            int next = read(in);
            if (left[0]-- == 0) {
                throw new ProtocolException("an answer with a head of more than " + MOST_HEAD_BYTES + " bytes");
            }
            if (next == '\n') {
                return line.toString().stripTrailing();
            }
            line.append((char) next);
        }
    }

    private static int read(Wire in) throws IOException {
        if (!in.arrived().hasRemaining()) {
            in.await();
            if (!in.fill()) {
                throw new EOFException("the connection was closed before an answer");
            }
        }
        return in.arrived().get() & 0xFF;
    }

    private static void require(AnswerHead answer, String key, Request request, Wire in) throws IOException {
        Map<String, String> headers = answer.headers();
        if (answer.status() != SWITCHING_PROTOCOLS) {
            throw new UpgradeRefusedException(answer.status(), headers, body(headers, in));
        }
        boolean isOurs = headers.getOrDefault("upgrade", "").equalsIgnoreCase("websocket")
                && headers.getOrDefault("connection", "")
                        .toLowerCase(Locale.ROOT)
                        .contains("upgrade")
                && accepted(key).equals(headers.get("sec-websocket-accept"))
                && request.subprotocol().equals(headers.get("sec-websocket-protocol"))
                && !headers.containsKey("sec-websocket-extensions");
        if (!isOurs) {
            throw new UpgradeRefusedException(
                    answer.status(), headers, "an upgrade to something else than was asked for");
        }
    }

    /** Returns the text of a refusal, as far as its length is known. */
    private static String body(Map<String, String> headers, Wire in) throws IOException {
        String length = headers.getOrDefault("content-length", "0");
        int bytes = length.matches("\\d{1,5}") ? Integer.parseInt(length) : 0;
        if (bytes > MOST_REFUSAL_BYTES) {
            return "";
        }
        byte[] text = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            text[i] = (byte) read(in);
        }
        return new String(text, StandardCharsets.UTF_8);
    }

    private static String accepted(String key) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-1")
                    .digest((key + ACCEPTED_BY).getBytes(StandardCharsets.ISO_8859_1));
            return Base64.getEncoder().encodeToString(hash);
        } catch (GeneralSecurityException e) {
            throw new LinkageError("every JDK has SHA-1", e);
        }
    }

    FrameReader reader() {
        return reader;
    }

    /** Writes a message; it leaves with the next flush at the latest. */
    void write(int opcode, List<ByteBuffer> parts) throws IOException {
        writer.write(opcode, parts);
    }

    void flush() throws IOException {
        writer.flush();
    }

    /**
     * Ends the connection at once: readers and writers fail. TLS sends no close alert, which would wait for a write
     * that waits for the server; a WebSocket has a close message of its own.
     */
    @Override
    public void close() throws IOException {
        connection.close();
    }
}
