// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.talos.client.transport.socket.Channels;
import org.talos.client.transport.socket.LentBuffers;
import org.talos.client.transport.socket.Route;
import org.talos.client.transport.socket.Wire;
import org.talos.client.transport.socket.Wires;

/**
 * Sends requests over HTTP/1.1, each once and on the thread of its caller, and reads the answers: with or without TLS
 * and proxies, by connections of its own. Without TLS, a get only costs one copy of its bytes; the JDK's client passes
 * each 16 KiB through several threads. Connections are kept for a while between calls.
 *
 * <p>Invariant: a connection has one call or is idle; a connection that failed, or whose answer was not read
 * completely, is closed. An interrupt ends a call and its connection.
 *
 * <p>Thread-safe.
 */
final class HttpPool {
    /** Idle connections end after one to two of these, long before a server closes them. */
    private static final Duration IDLE = Duration.ofSeconds(15);
    /** The most idle connections to each server. */
    private static final int MOST_IDLE = 64;

    /** A server has 256 MiB for all requests by default. */
    private static final int MOST_BYTES = 256 << 20;

    private final Duration connectTimeout;
    private final Later later;
    private final int mostBytes;
    private final LentBuffers buffers;
    private final Wires wires;
    private final Map<URI, Route> routes = new ConcurrentHashMap<>(); // by server; a program's proxies stay the same

    @GuardedBy("this")
    private final Map<Route, Deque<Idle>> idle = new HashMap<>(); // the one used last first

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
        private final HttpConnection connection;
        private boolean isOld;

        Idle(HttpConnection connection) {
            this.connection = connection;
        }
    }

    /** @param connectTimeout for each address of a server */
    HttpPool(Duration connectTimeout, Later later, Wires wires) {
        this(connectTimeout, later, wires, MOST_BYTES, new LentBuffers());
    }

    /** Creates a pool with another bound for the bytes of an answer, and other buffers. */
    HttpPool(Duration connectTimeout, Later later, Wires wires, int mostBytes, LentBuffers buffers) {
        this.connectTimeout = connectTimeout;
        this.later = later;
        this.wires = wires;
        this.mostBytes = mostBytes;
        this.buffers = buffers;
    }

    /**
     * Sends a request and waits for its answer, once connected, without a limit other than an interrupt.
     *
     * @throws ConnectException no connection was made: nothing has happened
     * @throws UnsentException the request was not sent whole: nothing can have happened
     * @throws CallFailure the answer is larger than the client accepts; or nothing was sent, as this program lacks
     *     memory or sockets
     * @throws IOException there is no answer; the outcome is unknown
     */
    HttpAnswer post(HttpCall call) throws IOException, CallFailure {
        Route route = routes.computeIfAbsent(call.server(), Route::to);
        ByteBuffer head = head(call, route);
        while (true) {
            HttpConnection kept = take(route);
            try {
                return exchange(call, route, head, kept == null ? open(call, route) : kept);
            } catch (UnsentException e) {
                if (kept == null) {
                    throw e;
                } // else the server closed it since: the next one, or a new one
            }
        }
    }

    private HttpAnswer exchange(HttpCall call, Route route, ByteBuffer head, HttpConnection connection)
            throws IOException, CallFailure {
        boolean isKept = false;
        try {
            HttpAnswer answer = connection.exchange(head, call.body().parts());
            isKept = connection.isReusable() && keep(route, connection);
            return answer;
        } finally {
            if (!isKept) {
                connection.close();
            }
        }
    }

    private HttpConnection open(HttpCall call, Route route) throws IOException, CallFailure {
        Duration within = call.timeout().compareTo(connectTimeout) < 0 ? call.timeout() : connectTimeout;
        SocketChannel connected;
        try {
            connected = wires.connect(route, within);
        } catch (ConnectException e) {
            throw e;
        } catch (InterruptedIOException e) { // the call has ended
            throw (ConnectException) new ConnectException("interrupted").initCause(e);
        } catch (IOException | Error e) { // no socket, or no memory, is left
            throw CallFailure.ofClient("no connection can be made: " + e, e);
        }
        return begin(route, connected, call.timeout());
    }

    /** Runs the steps before HTTP: nothing of the request is sent in them. */
    private HttpConnection begin(Route route, SocketChannel connected, Duration within)
            throws IOException, CallFailure {
        AtomicBoolean isOver = new AtomicBoolean();
        Future<?> limit = route.isStraight()
                ? null
                : later.after(within, () -> {
                    if (isOver.compareAndSet(false, true)) {
                        Channels.close(connected);
                    }
                });
        try {
            Wire opened = wires.forCalls(route, connected, buffers);
            if (isOver.compareAndSet(false, true)) {
                return new HttpConnection(opened, mostBytes);
            }
            opened.release();
            throw new ClosedChannelException();
        } catch (ConnectException | ClosedByInterruptException e) {
            throw e;
        } catch (ClosedChannelException e) { // by the limit
            throw (ConnectException) new ConnectException("no TLS within " + within).initCause(e);
        } catch (IOException e) {
            throw new UnsentException(e);
        } catch (Error e) { // no memory is left
            throw CallFailure.ofClient("no connection can be made: " + e, e);
        } finally {
            if (limit != null) {
                limit.cancel(false);
            }
        }
    }

    private ByteBuffer head(HttpCall call, Route route) {
        StringBuilder head = new StringBuilder(512);
        head.append("POST ");
        if (route.isPassedOn()) {
            head.append("http://").append(call.server().getRawAuthority());
        }
        head.append(call.target()).append(" HTTP/1.1\r\n");
        field(head, "Host", call.server().getRawAuthority());
        if (route.isPassedOn()) { // to no server: it is the proxy's
            wires.proxyAuthorization().ifPresent(value -> field(head, "Proxy-Authorization", value));
        }
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

    /** Returns a connection that is idle and alive; null if there is none. */
    private @Nullable HttpConnection take(Route route) {
        for (HttpConnection next = poll(route); next != null; next = poll(route)) {
            if (next.isAlive()) {
                return next;
            }
            next.close();
        }
        return null;
    }

    private synchronized @Nullable HttpConnection poll(Route route) {
        Deque<Idle> waiting = idle.get(route);
        Idle first = waiting == null ? null : waiting.pollFirst();
        return first == null ? null : first.connection;
    }

    /** Keeps a connection for the next call; returns false if there are enough. */
    private synchronized boolean keep(Route route, HttpConnection connection) {
        Deque<Idle> waiting = idle.computeIfAbsent(route, none -> new ArrayDeque<>());
        if (closed || waiting.size() >= MOST_IDLE) {
            return false;
        }
        waiting.addFirst(new Idle(connection));
        if (sweep == null) {
            sweep = later.after(IDLE, this::sweep);
        }
        return true;
    }

    /** Closes connections that were already idle at the last sweep. */
    private void sweep() {
        aged().forEach(HttpConnection::close);
    }

    private synchronized List<HttpConnection> aged() {
        List<HttpConnection> old = new ArrayList<>();
        for (Deque<Idle> waiting : idle.values()) {
            waiting.stream().filter(each -> each.isOld).forEach(each -> old.add(each.connection));
            waiting.removeIf(each -> each.isOld);
            waiting.forEach(each -> each.isOld = true);
        }
        idle.values().removeIf(Deque::isEmpty);
        sweep = idle.isEmpty() || closed ? null : later.after(IDLE, this::sweep);
        return old;
    }

    /** Closes the connections that no call uses. The others are closed with their calls. */
    void close() {
        all().forEach(HttpConnection::close);
    }

    private synchronized List<HttpConnection> all() {
        closed = true;
        if (sweep != null) {
            sweep.cancel(false);
            sweep = null;
        }
        List<HttpConnection> all = new ArrayList<>();
        idle.values().forEach(waiting -> waiting.forEach(each -> all.add(each.connection)));
        idle.clear();
        return all;
    }

    /** Returns the number of connections that wait for a call. */
    synchronized int idle() {
        return idle.values().stream().mapToInt(Deque::size).sum();
    }
}
