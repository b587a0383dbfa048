// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.util.concurrent.TimeUnit;
import org.talos.server.http.stream.incoming.CloseCode;
import org.talos.server.http.stream.incoming.StreamEndException;
import org.talos.server.runtime.Ticker;

/** Counts what carries nothing, pings and empty frames, and refuses what is too much of it. Confined: one stream. */
final class ControlRate {
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int mostPerSecond;
    private final Ticker ticker;
    private long sinceNanos;
    private int counted;

    ControlRate(int mostPerSecond, Ticker ticker) {
        this.mostPerSecond = mostPerSecond;
        this.ticker = ticker;
        sinceNanos = ticker.nanos();
    }

    /**
     * Counts one more.
     *
     * @throws StreamEndException there are too many
     */
    void count() throws StreamEndException {
        long now = ticker.nanos();
        if (now - sinceNanos >= SECOND_NANOS) {
            sinceNanos = now;
            counted = 0;
        }
        counted++;
        if (counted > mostPerSecond) {
            throw new StreamEndException(
                    CloseCode.NOT_ALLOWED, "more than " + mostPerSecond + " pings and empty frames a second");
        }
    }
}
