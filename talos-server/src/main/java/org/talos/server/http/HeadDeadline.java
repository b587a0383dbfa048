// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.jspecify.annotations.Nullable;
import org.talos.server.runtime.Ticker;

/**
 * Ends connections whose request's head is begun and does not get whole: each byte of it would keep the idle timeout
 * from ending them. It looks at all connections from time to time, so that requests pay nothing for it, and a head gets
 * at most a quarter more than its time.
 *
 * <p>Confined: the connector's scheduler, one look at a time.
 */
final class HeadDeadline extends AbstractLifeCycle {
    private static final int LOOKS = 4;

    private final ServerConnector connector;
    private final Duration deadline;
    private final Ticker ticker;
    private Map<EndPoint, Begun> begun = new HashMap<>();

    /** Since when a connection's request number so-and-so has been seen without the end of its head. Immutable. */
    private record Begun(long request, long sinceNanos) {}

    HeadDeadline(ServerConnector connector, Duration deadline, Ticker ticker) {
        this.connector = connector;
        this.deadline = deadline;
        this.ticker = ticker;
    }

    @Override
    protected void doStart() {
        lookLater();
    }

    private void lookLater() {
        var unused = connector
                .getScheduler()
                .schedule(this::look, Math.max(1, deadline.toMillis() / LOOKS), TimeUnit.MILLISECONDS);
    }

    private void look() {
        try {
            endThoseTooLate();
        } finally {
            if (isRunning()) {
                lookLater();
            }
        }
    }

    private void endThoseTooLate() {
        Map<EndPoint, Begun> still = new HashMap<>();
        for (EndPoint endPoint : connector.getConnectedEndPoints()) {
            @Nullable HttpConnection connection = http(endPoint.getConnection());
            if (connection == null || !inHead(connection)) {
                continue;
            }
            long request = connection.getMessagesIn();
            @Nullable Begun before = begun.get(endPoint);
            Begun now = before != null && before.request == request ? before : new Begun(request, ticker.nanos());
            if (ticker.nanos() - now.sinceNanos >= deadline.toNanos()) {
                endPoint.close(new TimeoutException("the head of a request did not come in time"));
            } else {
                still.put(endPoint, now);
            }
        }
        begun = still;
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
