// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.time;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;

/**
 * The time of day, for code that must not follow a clock that is set. Small corrections are followed. If the wall clock
 * jumps by more, this clock continues by the monotonic clock until the wall clock is right again.
 *
 * <p>Read it more often than clocks drift apart by a minute.
 *
 * <p>Thread-safe.
 */
public final class SteadyClock implements InstantSource {
    private static final long MOST_CORRECTION_MILLIS = Duration.ofMinutes(1).toMillis();
    private static final long LEAST_CORRECTION_MILLIS = 1_000; // so that threads that read it hardly ever write

    private final InstantSource clock;
    private final Ticker ticker;
    private volatile long atZeroMillis; // the trusted time when the ticker is at 0

    /** Trusts the current time of the wall clock. */
    public SteadyClock(InstantSource clock, Ticker ticker) {
        this.clock = clock;
        this.ticker = ticker;
        atZeroMillis = clock.millis() - tickerMillis();
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(millis());
    }

    /** Returns the trusted time, ms since 1970. */
    @Override
    public long millis() {
        long atZero = atZeroMillis;
        long now = tickerMillis();
        long wall = clock.millis();
        long difference = wall - now - atZero;
        if (Math.abs(difference) > MOST_CORRECTION_MILLIS) {
            return atZero + now;
        }
        if (Math.abs(difference) >= LEAST_CORRECTION_MILLIS) {
            atZeroMillis = atZero + difference;
        }
        return wall;
    }

    /** Returns how far the wall clock is ahead of the trusted time; negative if it is behind, 0 if it is right. */
    public long aheadMillis() {
        long difference = clock.millis() - tickerMillis() - atZeroMillis;
        return Math.abs(difference) > MOST_CORRECTION_MILLIS ? difference : 0;
    }

    private long tickerMillis() {
        return TimeUnit.NANOSECONDS.toMillis(ticker.nanos());
    }
}
