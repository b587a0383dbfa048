// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.client.transport.AnswerHead;
import org.talos.client.transport.socket.Dialer;

/**
 * The client's end of a WebSocket (RFC 6455) over a socket, with or without TLS; frames are read by one thread and
 * written by another. The JDK's client takes one message at a time and passes each through several threads' hands.
 *
 * <p>Thread-safe, but for reader and writer.
 */
final class WebSocket implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WebSocket.class);
    private static final String ACCEPTED_BY = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private static final int KEY_BYTES = 16;
    private static final int SWITCHING_PROTOCOLS = 101;
    private static final int MOST_HEAD_BYTES = 64 << 10;
    private static final int MOST_REFUSAL_BYTES = 16 << 10;
    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;
    private static final int LEAST_MILLIS = 1;

    private final Socket connection;
    private final FrameReader reader;
    private final FrameWriter writer;

    /** @param connection that of TCP, also under TLS */
    private WebSocket(Socket connection, InputStream in, OutputStream out, int mostBytes) {
        this.connection = connection;
        reader = new FrameReader(in, mostBytes);
        writer = new FrameWriter(out);
    }

    /**
     * What is asked of whom. Immutable.
     *
     * @param server scheme, host and port; its path is in the target
     * @param target path and query
     * @param headers besides those of every WebSocket
     * @param tls what servers are trusted; empty for what the JVM trusts
     * @param timeout until the server has answered
     * @param mostBytes of a message that it may send
     */
    record Request(
            URI server,
            String target,
            String subprotocol,
            Map<String, String> headers,
            Optional<SSLContext> tls,
            Duration timeout,
            int mostBytes) {
        Request {
            headers = Map.copyOf(headers);
        }

        private boolean isSecure() {
            return server.getScheme().equals("https");
        }

        private int port() {
            return server.getPort() >= 0 ? server.getPort() : isSecure() ? HTTPS_PORT : HTTP_PORT;
        }
    }

    /**
     * Opens one, and waits for that.
     *
     * @param dialer connects where no proxy stands between
     * @throws UpgradeRefusedException the server has answered, and it is no stream
     * @throws IOException there is no answer
     */
    static WebSocket open(Request request, Dialer dialer, LongSupplier nanos) throws IOException {
        long deadline = nanos.getAsLong() + request.timeout().toNanos();
        Socket socket = connect(request, dialer);
        // Not by the socket's own time-out: one that was once read with it asks the system thrice for each message.
        CompletableFuture<@Nullable Void> opening = new CompletableFuture<>();
        var unused = opening.orTimeout(deadline - nanos.getAsLong(), TimeUnit.NANOSECONDS)
                .exceptionally(late -> giveUp(socket));
        try {
            WebSocket opened = upgraded(request, socket);
            if (opening.complete(null)) {
                return opened;
            }
            throw new SocketException("closed meanwhile");
        } catch (IOException | RuntimeException | Error e) { // an Error too: nobody else has the socket
            socket.close();
            if (opening.complete(null)) {
                throw e;
            }
            throw late(request, e);
        }
    }

    private static @Nullable Void giveUp(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("stream that did not open closed badly", e);
        }
        return null;
    }

    private static SocketTimeoutException late(Request request, Throwable e) {
        SocketTimeoutException late = new SocketTimeoutException("no stream was opened within " + request.timeout());
        late.initCause(e);
        return late;
    }

    private static WebSocket upgraded(Request request, Socket socket) throws IOException {
        Socket secured = request.isSecure() ? secured(request, socket) : socket;
        InputStream in = secured.getInputStream(); // without a buffer: what follows the answer is the reader's
        String key = key();
        secured.getOutputStream().write(head(request, key).getBytes(StandardCharsets.ISO_8859_1));
        require(answer(in), key, request, in);
        return new WebSocket(socket, in, secured.getOutputStream(), request.mostBytes());
    }

    private static int millis(Duration time) {
        return (int) Math.max(LEAST_MILLIS, Math.min(Integer.MAX_VALUE, time.toMillis()));
    }

    private static Socket connect(Request request, Dialer dialer) throws IOException {
        URI server = request.server();
        ProxySelector proxies = ProxySelector.getDefault();
        Proxy proxy = proxies == null ? Proxy.NO_PROXY : proxies.select(server).get(0);
        return proxy.type() == Proxy.Type.DIRECT
                ? dialer.connect(server.getHost(), request.port(), request.timeout(), new Sockets())
                : connect(request, proxy);
    }

    private static Socket connect(Request request, Proxy proxy) throws IOException {
        Socket socket = new Socket(proxy);
        try {
            socket.setSoTimeout(millis(request.timeout())); // for the answer of the proxy
            connect(
                    socket,
                    InetSocketAddress.createUnresolved(request.server().getHost(), request.port()),
                    request.timeout());
            socket.setSoTimeout(0);
            return socket;
        } catch (IOException | RuntimeException | Error e) {
            socket.close();
            throw e;
        }
    }

    private static void connect(Socket socket, InetSocketAddress to, Duration within) throws IOException {
        socket.setTcpNoDelay(true);
        socket.setKeepAlive(true);
        socket.connect(to, millis(within));
    }

    /** Makes and connects sockets without a proxy. Immutable. */
    private static final class Sockets implements Dialer.Sockets<Socket> {
        @Override
        public Socket make() {
            return new Socket(Proxy.NO_PROXY);
        }

        @Override
        public void connect(Socket socket, InetSocketAddress to, Duration within) throws IOException {
            WebSocket.connect(socket, to, within);
        }
    }

    private static Socket secured(Request request, Socket socket) throws IOException {
        try {
            SSLContext context = request.tls().isPresent() ? request.tls().get() : SSLContext.getDefault();
            SSLSocket secured = (SSLSocket) context.getSocketFactory()
                    .createSocket(socket, request.server().getHost(), request.port(), true);
            SSLParameters parameters = secured.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            secured.setSSLParameters(parameters);
            secured.startHandshake();
            return secured;
        } catch (GeneralSecurityException e) {
            throw new IOException("no TLS: " + e.getMessage(), e);
        }
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

    private static AnswerHead answer(InputStream in) throws IOException {
        int[] left = {MOST_HEAD_BYTES};
        AnswerHead head = new AnswerHead(line(in, left));
        for (String line = line(in, left); !line.isEmpty(); line = line(in, left)) {
            head.add(line);
        }
        return head;
    }

    private static String line(InputStream in, int[] left) throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            int next = in.read();
            if (next < 0) {
                throw new EOFException("the connection was closed before an answer");
            }
            if (left[0]-- == 0) {
                throw new ProtocolException("an answer with a head of more than " + MOST_HEAD_BYTES + " bytes");
            }
            if (next == '\n') {
                return line.toString().stripTrailing();
            }
            line.append((char) next);
        }
    }

    private static void require(AnswerHead answer, String key, Request request, InputStream in) throws IOException {
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

    /** The text of a refusal, as far as it says how long it is. */
    private static String body(Map<String, String> headers, InputStream in) throws IOException {
        String length = headers.getOrDefault("content-length", "0");
        int bytes = length.matches("\\d{1,5}") ? Integer.parseInt(length) : 0;
        if (bytes > MOST_REFUSAL_BYTES) {
            return "";
        }
        return new String(in.readNBytes(bytes), StandardCharsets.UTF_8);
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
     * Ends the connection, at once: who reads or writes fails. TLS says no goodbye, which would wait for a write that
     * waits for the server; a WebSocket has one of its own.
     */
    @Override
    public void close() throws IOException {
        connection.close();
    }
}
