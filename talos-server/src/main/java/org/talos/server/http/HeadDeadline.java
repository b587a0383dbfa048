// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.jspecify.annotations.Nullable;
import org.talos.server.runtime.Ticker;

/**
 * Closes HTTP/1.1 connections whose request's head is not complete in time: the idle timeout does not, as each byte of
 * the head restarts it. Connections that have received something are looked at at intervals, so that neither requests
 * nor connections that wait pay for it, and a head gets at most a quarter more than its time.
 *
 * <p>Confined: the connector's scheduler, one poll at a time.
 */
public final class HeadDeadline extends AbstractLifeCycle {
    private static final int POLLS = 4;

    private final ServerConnector connector;
    private final Supplier<Collection<EndPoint>> heard;
    private final Duration deadline;
    private final Ticker ticker;
    private Map<EndPoint, PendingHead> pending = new HashMap<>();

    /** A request, by its number on the connection, and when its head was first seen incomplete. Immutable. */
    private record PendingHead(long request, long sinceNanos) {}

    /**
     * A deadline that begins with its connector, of which it is a bean.
     *
     * @param heard the connections that have received something since it was asked last, or more
     * @param deadline for each head
     */
    public HeadDeadline(
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
        Map<EndPoint, PendingHead> still = new HashMap<>();
        Set<EndPoint> all = new HashSet<>(heard.get());
        all.addAll(pending.keySet());
        for (EndPoint endPoint : all) {
            @Nullable HttpConnection connection = http(endPoint.getConnection());
            if (connection == null || !inHead(connection)) {
                continue;
            }
            long request = connection.getMessagesIn();
            @Nullable PendingHead before = pending.get(endPoint);
            PendingHead now =
                    before != null && before.request == request ? before : new PendingHead(request, ticker.nanos());
            if (ticker.nanos() - now.sinceNanos >= deadline.toNanos()) {
                endPoint.close(new TimeoutException("the head of a request did not come in time"));
            } else {
                still.put(endPoint, now);
            }
        }
        pending = still;
    }

    private static boolean inHead(HttpConnection connection) {
        return connection.getParser().inHeaderState() && !connection.getParser().isStart();
    }

    private static @Nullable HttpConnection http(@Nullable Connection connection) {
        Connection inner =
                connection instanceof SslConnection ssl ? ssl.getSslEndPoint().getConnection() : connection;
        return inner instanceof HttpConnection http ? http : null;
    }
}
