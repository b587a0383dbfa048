// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.talos.client.transport.socket.Dialer;
import org.talos.client.transport.socket.LentBuffers;

/**
 * HTTP/1.1 over plain sockets, each call on the thread of its caller: what a get costs is copying its bytes once. The
 * JDK's client passes each 16 KiB through several threads' hands. Connections are kept for a while between calls.
 *
 * <p>Always true: a connection has one call or is idle; one that failed, or whose answer was not read whole, is closed.
 *
 * <p>Thread-safe.
 */
final class PlainHttp implements HttpSender {
    /** Idle connections end after one to two of these, long before a server closes them. */
    private static final Duration IDLE = Duration.ofSeconds(15);
    /** For each server. */
    private static final int MOST_IDLE = 64;

    private static final int HTTP_PORT = 80;
    /** A server has 256 MiB for all requests by default. */
    private static final int MOST_BYTES = 256 << 20;

    private final Duration connectTimeout;
    private final Later later;
    private final int mostBytes;
    private final LentBuffers buffers;
    private final Dialer dialer;

    @GuardedBy("this")
    private final Map<String, Deque<Idle>> idle = new HashMap<>(); // by host and port, the one used last first

    @GuardedBy("this")
    private @Nullable Future<?> sweep;

    @GuardedBy("this")
    private boolean closed;

    /** Runs a task after a time. */
    interface Later {
        Future<?> after(Duration time, Runnable task);
    }

    /** A connection that waits for a call. Confined: by the pool's lock. */
    private static final class Idle {
        private final PlainConnection connection;
        private boolean isOld;

        Idle(PlainConnection connection) {
            this.connection = connection;
        }
    }

    PlainHttp(Duration connectTimeout, Later later, Dialer dialer) {
        this(connectTimeout, later, dialer, MOST_BYTES, new LentBuffers());
    }

    /** With another bound for the bytes of an answer, and other buffers. */
    PlainHttp(Duration connectTimeout, Later later, Dialer dialer, int mostBytes, LentBuffers buffers) {
        this.connectTimeout = connectTimeout;
        this.later = later;
        this.dialer = dialer;
        this.mostBytes = mostBytes;
        this.buffers = buffers;
    }

    @Override
    public HttpAnswer post(HttpCall call) throws IOException, CallFailure {
        ByteBuffer head = head(call);
        while (true) {
            PlainConnection kept = take(call.server().getRawAuthority());
            try {
                return exchange(call, head, kept == null ? open(call) : kept);
            } catch (UnsentException e) {
                if (kept == null) {
                    throw e;
                } // else the server closed it meanwhile: the next one, or a new one
            }
        }
    }

    private HttpAnswer exchange(HttpCall call, ByteBuffer head, PlainConnection connection)
            throws IOException, CallFailure {
        boolean isKept = false;
        try {
            HttpAnswer answer = connection.exchange(head, call.body().parts());
            isKept = connection.isReusable() && keep(call.server().getRawAuthority(), connection);
            return answer;
        } finally {
            if (!isKept) {
                connection.close();
            }
        }
    }

    private PlainConnection open(HttpCall call) throws IOException, CallFailure {
        URI server = call.server();
        Duration timeout = call.timeout().compareTo(connectTimeout) < 0 ? call.timeout() : connectTimeout;
        try {
            int port = server.getPort() < 0 ? HTTP_PORT : server.getPort();
            return PlainConnection.open(dialer, server.getHost(), port, timeout, mostBytes, buffers);
        } catch (ConnectException e) {
            throw e;
        } catch (InterruptedIOException e) { // the call has ended
            throw (ConnectException) new ConnectException("interrupted").initCause(e);
        } catch (IOException | Error e) { // no socket, or no memory, is left
            throw CallFailure.ofClient("no connection can be made: " + e, e);
        }
    }

    private static ByteBuffer head(HttpCall call) {
        StringBuilder head = new StringBuilder(512);
        head.append("POST ").append(call.target()).append(" HTTP/1.1\r\n");
        field(head, "Host", call.server().getRawAuthority());
        field(head, "Content-Length", Long.toString(call.body().contentLength()));
        call.headers().forEach((name, value) -> field(head, name, value));
        return ByteBuffer.wrap(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
    }

    private static void field(StringBuilder head, String name, String value) {
        for (int i = 0; i < value.length(); i++) {
            if (value.charAt(i) < ' ' || value.charAt(i) > '~') {
                throw new IllegalArgumentException("header " + name + ": a character of code " + (int) value.charAt(i)
                        + " (expected: printable ASCII)");
            }
        }
        head.append(name).append(": ").append(value).append("\r\n");
    }

    /** A connection that is idle and alive; null if there is none. */
    private @Nullable PlainConnection take(String server) {
        for (PlainConnection next = poll(server); next != null; next = poll(server)) {
            if (next.isAlive()) {
                return next;
            }
            next.close();
        }
        return null;
    }

    private synchronized @Nullable PlainConnection poll(String server) {
        Deque<Idle> waiting = idle.get(server);
        Idle first = waiting == null ? null : waiting.pollFirst();
        return first == null ? null : first.connection;
    }

    /** Keeps a connection for the next call; false if there are enough. */
    private synchronized boolean keep(String server, PlainConnection connection) {
        Deque<Idle> waiting = idle.computeIfAbsent(server, none -> new ArrayDeque<>());
        if (closed || waiting.size() >= MOST_IDLE) {
            return false;
        }
        waiting.addFirst(new Idle(connection));
        if (sweep == null) {
            sweep = later.after(IDLE, this::sweep);
        }
        return true;
    }

    /** Closes what was idle at the last sweep already. */
    private void sweep() {
        aged().forEach(PlainConnection::close);
    }

    private synchronized List<PlainConnection> aged() {
        List<PlainConnection> old = new ArrayList<>();
        for (Deque<Idle> waiting : idle.values()) {
            waiting.stream().filter(each -> each.isOld).forEach(each -> old.add(each.connection));
            waiting.removeIf(each -> each.isOld);
            waiting.forEach(each -> each.isOld = true);
        }
        idle.values().removeIf(Deque::isEmpty);
        sweep = idle.isEmpty() || closed ? null : later.after(IDLE, this::sweep);
        return old;
    }

    @Override
    public void close() {
        all().forEach(PlainConnection::close);
    }

    private synchronized List<PlainConnection> all() {
        closed = true;
        if (sweep != null) {
            sweep.cancel(false);
            sweep = null;
        }
        List<PlainConnection> all = new ArrayList<>();
        idle.values().forEach(waiting -> waiting.forEach(each -> all.add(each.connection)));
        idle.clear();
        return all;
    }

    /** How many connections wait for a call. */
    synchronized int idle() {
        return idle.values().stream().mapToInt(Deque::size).sum();
    }
}
