// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.connection;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.http2.HTTP2Stream;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.NegotiatingServerConnection;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.jspecify.annotations.Nullable;
import org.talos.server.runtime.time.Ticker;

/**
 * Closes connections whose request is not complete in time, whatever the protocol: the idle timeout does not, as each
 * byte restarts it. The first request has its time from the accept to the end of its head, with the handshake of TLS
 * and the preface of HTTP/2; a later one from its first byte. Connections that were accepted or have received something
 * are checked at intervals, so that neither requests nor waiting connections pay for it, and a request gets at most
 * half as much time again.
 *
 * <p>Thread-safe.
 */
public final class UnfinishedRequests extends AbstractLifeCycle implements Connection.Listener {
    private static final int POLLS = 4;
    /** Part of a request's time that passes before it may be evicted: a server under attack reads the others late. */
    private static final int PART_IN_ANY_CASE = 2;

    private static final Unfinished FIRST = new Unfinished(0, true);

    private final ServerConnector connector;
    private final Supplier<Collection<EndPoint>> heard;
    private final Duration deadline;
    private final Ticker ticker;

    @GuardedBy("fresh")
    private final Map<EndPoint, Long> fresh = new LinkedHashMap<>(); // as far as is known without a request; since when

    private final Map<EndPoint, Pending> pending = new ConcurrentHashMap<>(); // without closed ones

    /**
     * The missing part of a connection's request. Immutable.
     *
     * @param number tells the connection's requests from one another, for HTTP/2 its frames
     * @param isSeen whether a request is known to have begun; otherwise it is only known that there is none if nothing
     *     more arrives
     */
    private record Unfinished(long number, boolean isSeen) {}

    /**
     * Since when, as far as it was noticed. Immutable.
     *
     * @param hasBegun false while nothing has come since the last frame
     */
    private record Pending(Unfinished what, long sinceNanos, boolean hasBegun) {}

    /**
     * Creates the deadlines of a connector, as a bean of it.
     *
     * @param heard the connections that were accepted or have received something since it was asked last, or more
     * @param deadline for each request's head
     */
    public UnfinishedRequests(
            ServerConnector connector, Supplier<Collection<EndPoint>> heard, Duration deadline, Ticker ticker) {
        this.connector = connector;
        this.heard = heard;
        this.deadline = deadline;
        this.ticker = ticker;
    }

    @Override
    protected void doStart() {
        schedulePoll();
    }

    private void schedulePoll() {
        var unused = connector
                .getScheduler()
                .schedule(this::poll, Math.max(1, deadline.toMillis() / POLLS), TimeUnit.MILLISECONDS);
    }

    private void poll() {
        try {
            closeLate();
        } finally {
            if (isRunning()) {
                schedulePoll();
            }
        }
    }

    private void closeLate() {
        Set<EndPoint> active = new HashSet<>(heard.get());
        Set<EndPoint> all = new HashSet<>(active);
        all.addAll(pending.keySet());
        long now = ticker.nanos();
        for (EndPoint endPoint : all) {
            @Nullable Unfinished what = endPoint.isOpen() ? unfinished(endPoint.getConnection()) : null;
            if (what == null) {
                pending.remove(endPoint);
                forgetFresh(endPoint);
                continue;
            }
            Pending seen = seen(pending.get(endPoint), what, active.contains(endPoint), now);
            boolean isLate = seen.hasBegun && now - seen.sinceNanos >= deadline.toNanos();
            if (isLate && (what.isSeen || active.contains(endPoint))) {
                pending.remove(endPoint);
                endPoint.close(new TimeoutException("a request was not complete in time"));
            } else {
                pending.put(endPoint, seen);
            }
        }
    }

    @Override
    public void onOpened(Connection connection) {
        boolean isWithinAnother = connection.getEndPoint() instanceof EndPoint.Wrapper; // TLS, or a stream of HTTP/2
        if (!isWithinAnother) {
            synchronized (fresh) {
                fresh.putIfAbsent(connection.getEndPoint(), ticker.nanos());
            }
        }
    }

    /**
     * Closes the oldest connection that has not had a whole request in half of its time. Returns false if there is
     * none.
     */
    public boolean closeOldest() {
        while (true) {
            EndPoint oldest;
            synchronized (fresh) {
                Iterator<Map.Entry<EndPoint, Long>> each = fresh.entrySet().iterator();
                Map.Entry<EndPoint, Long> first = each.hasNext() ? each.next() : null;
                if (first == null || ticker.nanos() - first.getValue() < deadline.toNanos() / PART_IN_ANY_CASE) {
                    return false;
                }
                oldest = first.getKey();
                each.remove();
            }
            if (oldest.isOpen() && FIRST.equals(unfinished(oldest.getConnection()))) {
                oldest.close(new TimeoutException("too many connections without a request"));
                return true;
            }
        }
    }

    private void forgetFresh(EndPoint endPoint) {
        synchronized (fresh) {
            fresh.remove(endPoint);
        }
    }

    /** Forgets a closed connection, with the parsed part of its request. */
    @Override
    public void onClosed(Connection connection) {
        if (!connection.getEndPoint().isOpen()) { // else another connection follows on it
            pending.remove(connection.getEndPoint());
            forgetFresh(connection.getEndPoint());
        }
    }

    private static Pending seen(@Nullable Pending before, Unfinished what, boolean isActive, long now) {
        if (before == null || !before.what.equals(what)) {
            return new Pending(what, now, what.isSeen);
        }
        return before.hasBegun || !isActive ? before : new Pending(what, now, true);
    }

    private static @Nullable Unfinished unfinished(@Nullable Connection outer) {
        Connection connection = plain(outer);
        if (connection instanceof HttpConnection http) {
            return http.getMessagesIn() == 0 || isInHead(http) ? new Unfinished(http.getMessagesIn(), true) : null;
        }
        if (connection instanceof HTTP2Connection http2) {
            return unfinished(http2);
        }
        return connection == null || connection instanceof NegotiatingServerConnection
                ? FIRST
                : null; // has become something else by a request
    }

    /**
     * Jetty shows the number of frames, not whether one is complete: it is not if bytes arrive, and still no other
     * frame.
     */
    private static @Nullable Unfinished unfinished(HTTP2Connection connection) {
        if (connection.getSession().getStreamsOpened() == 0) {
            return FIRST;
        }
        boolean isBodyExpected = connection.getSession().getStreams().stream()
                .anyMatch(stream -> !(stream instanceof HTTP2Stream ours && ours.isRemotelyClosed()));
        return isBodyExpected
                ? null
                : new Unfinished(connection.getSession().getParser().getBeginNanoTime(), false);
    }

    /** Returns whether a connection has parsed a part of a request's head that is in the heap. */
    public static boolean isInHead(@Nullable Connection outer) {
        return plain(outer) instanceof HttpConnection http && isInHead(http);
    }

    /**
     * Returns when the first byte of that head came.
     *
     * @throws IllegalArgumentException the connection is not one of HTTP/1.1
     */
    public static long headBeganNanos(@Nullable Connection outer) {
        if (plain(outer) instanceof HttpConnection http) {
            return http.getParser().getBeginNanoTime();
        }
        throw new IllegalArgumentException("no connection of HTTP/1.1: " + outer);
    }

    private static @Nullable Connection plain(@Nullable Connection outer) {
        return outer instanceof SslConnection ssl ? ssl.getSslEndPoint().getConnection() : outer;
    }

    private static boolean isInHead(HttpConnection connection) {
        return connection.getParser().inHeaderState() && !connection.getParser().isStart();
    }
}
