// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime;

import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;

/**
 * The time of day, for what must not go by a clock that is set: small corrections are followed; by more than that the
 * monotonic clock is believed, until the other is right again.
 *
 * <p>Confined: one thread at a time, which reads it often.
 */
public final class SteadyClock {
    private static final Duration MOST_CORRECTION = Duration.ofMinutes(1);

    private final InstantSource clock;
    private final Ticker ticker;
    private long atZeroMillis; // the time that is believed, taken back to when the ticker was at 0
    private long aheadMillis;

    /** Believes what the clock says now. */
    public SteadyClock(InstantSource clock, Ticker ticker) {
        this.clock = clock;
        this.ticker = ticker;
        atZeroMillis = clock.millis() - tickerMillis();
    }

    /** The time that is believed, ms since 1970. */
    public long millis() {
        long now = tickerMillis();
        long difference = clock.millis() - now - atZeroMillis;
        if (Math.abs(difference) <= MOST_CORRECTION.toMillis()) {
            atZeroMillis += difference;
            aheadMillis = 0;
        } else {
            aheadMillis = difference;
        }
        return atZeroMillis + now;
    }

    /** How far the clock was set ahead of the time that was believed last; negative if back, 0 if it is right. */
    public long aheadMillis() {
        return aheadMillis;
    }

    private long tickerMillis() {
        return TimeUnit.NANOSECONDS.toMillis(ticker.nanos());
    }
}
