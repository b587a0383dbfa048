// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.connection;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.channels.SelectableChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.server.AbstractConnector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.LogPace;
import org.talos.server.runtime.time.Ticker;

/**
 * Bounds the number of open connections, and the number that is accepted per second. At the first bound, the oldest
 * connection without a complete request is closed. Without any such connection, and beyond the rate, new ones wait in
 * the system until there is room. Jetty has a class for each bound, but each class accepts connections again that the
 * other one holds back, and the one for the rate logs each time.
 *
 * <p>Thread-safe.
 */
public final class AcceptBound implements SelectorManager.AcceptListener {
    private static final Logger LOG = LoggerFactory.getLogger(AcceptBound.class);
    private static final Duration LOG_INTERVAL = Duration.ofSeconds(10);
    private static final long RETRY_MILLIS = 100;
    private static final String CONNECTIONS = "http.maxConnections";
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final AbstractConnector connector;
    private final int mostOpen;
    private final int mostPerSecond;
    private final BooleanSupplier room;
    private final Ticker ticker;
    private final LogPace full;
    private final LogPace fast;

    @GuardedBy("this")
    private int open;

    @GuardedBy("this")
    private int inSecond;

    @GuardedBy("this")
    private long secondNanos; // when that second began

    @GuardedBy("this")
    private boolean isWaiting; // for that second to end

    @GuardedBy("this")
    private boolean isRetrying; // one retry is scheduled, however often all places were taken

    /**
     * The bounds of a connector, of which it is a bean.
     *
     * @param room closes a connection in favor of new ones; returns false if there is none to close
     */
    public AcceptBound(
            AbstractConnector connector, int mostOpen, int mostPerSecond, BooleanSupplier room, Ticker ticker) {
        this.connector = connector;
        this.mostOpen = mostOpen;
        this.mostPerSecond = mostPerSecond;
        this.room = room;
        this.ticker = ticker;
        secondNanos = ticker.nanos();
        full = new LogPace(LOG_INTERVAL, ticker);
        fast = new LogPace(LOG_INTERVAL, ticker);
    }

    @Override
    public void onAccepting(SelectableChannel channel) {
        if (isFullWithOneMore()) {
            log(full, "connections without a request are closed, without any new ones wait", CONNECTIONS, mostOpen);
            makeRoom();
        }
    }

    private void makeRoom() {
        if (!room.getAsBoolean() && beginRetry()) {
            var unused = connector.getScheduler().schedule(this::retry, RETRY_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void retry() {
        if (endRetry()) {
            makeRoom();
        }
    }

    private synchronized boolean beginRetry() {
        boolean begins = !isRetrying;
        isRetrying = true;
        return begins;
    }

    /** Returns whether all places are taken. */
    private synchronized boolean endRetry() {
        isRetrying = false;
        return open >= mostOpen;
    }

    private synchronized boolean isFullWithOneMore() {
        long now = ticker.nanos();
        if (now - secondNanos >= SECOND_NANOS) {
            secondNanos = now;
            inSecond = 0;
        }
        inSecond++;
        open++;
        if (inSecond >= mostPerSecond && !isWaiting) {
            isWaiting = true;
            log(fast, "connections come too fast and wait", "http.limits.acceptsPerSecond", mostPerSecond);
            long rest = SECOND_NANOS - (now - secondNanos);
            var unused = connector.getScheduler().schedule(this::onSecond, rest, TimeUnit.NANOSECONDS);
        }
        update();
        return open >= mostOpen;
    }

    private static void log(LogPace pace, String event, String setting, int bound) {
        long times = pace.count();
        if (times > 0) {
            LOG.warn("{} {}={} times={}", event, setting, bound, times);
        }
    }

    private synchronized void onSecond() {
        isWaiting = false;
        inSecond = 0;
        secondNanos = ticker.nanos();
        update();
    }

    @Override
    public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
        onClosed(channel);
    }

    @Override
    public synchronized void onClosed(SelectableChannel channel) {
        open--;
        update();
    }

    @GuardedBy("this")
    private void update() {
        boolean accepts = open < mostOpen && !isWaiting;
        if (connector.isAccepting() != accepts) {
            connector.setAccepting(accepts);
        }
    }
}
