// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import org.talos.server.runtime.time.Ticker;

/**
 * Decides which of many equal events are logged, so that a client that causes them cannot fill the log: the first, and
 * then at most one in each interval, with the number of events since.
 *
 * <p>Thread-safe.
 */
public final class LogPace {
    private final long intervalNanos;
    private final Ticker ticker;

    @GuardedBy("this")
    private long unlogged;

    @GuardedBy("this")
    private long lastNanos;

    /** Creates a pace without an event. */
    public LogPace(Duration interval, Ticker ticker) {
        intervalNanos = interval.toNanos();
        this.ticker = ticker;
        lastNanos = ticker.nanos() - intervalNanos;
    }

    /** Counts an event. Returns the number of events that a line stands for, or 0 if none is to be written now. */
    public synchronized long count() {
        unlogged++;
        long now = ticker.nanos();
        if (now - lastNanos < intervalNanos) {
            return 0;
        }
        long events = unlogged;
        unlogged = 0;
        lastNanos = now;
        return events;
    }
}
