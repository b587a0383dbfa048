// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log.time;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The timestamps of a log and the time of day when it was opened: whether a clock was, or is, wrong.
 *
 * <p>Timestamps of a log never go back, so one put under a clock that is ahead gives its time to all later puts. Only
 * an operator can say which clock was right. Timestamps then go back once, at an opening, to the clock.
 *
 * <p>Immutable.
 */
public final class OpeningTimes {
    /** Timestamps that are no further ahead than this are right again soon, by themselves. */
    private static final Duration FAR_AHEAD = Duration.ofHours(1);
    /** A statement about the clock that was forgotten in the configuration must do no harm. */
    private static final Duration BELIEVED = Duration.ofDays(7);

    private final long latest;
    private final long longestPause;
    private final boolean goesBack;

    /**
     * Compares timestamps with the clock.
     *
     * @param lastTimestamps of each segment that has messages, in the order of the segments; ms since 1970
     * @param nowMillis the time of the opening, ms since 1970
     * @param clockRightSince from when on the clock is right, as an operator says
     */
    public OpeningTimes(List<Long> lastTimestamps, long nowMillis, Optional<Instant> clockRightSince) {
        long last = 0;
        long pause = 0;
        for (int i = 0; i < lastTimestamps.size(); i++) {
            last = lastTimestamps.get(i);
            long next = i + 1 < lastTimestamps.size() ? lastTimestamps.get(i + 1) : nowMillis;
            pause = Math.max(pause, next - last);
        }
        longestPause = pause;
        goesBack = isFarAhead(last, nowMillis)
                && clockRightSince
                        .map(Instant::toEpochMilli)
                        .filter(since -> nowMillis >= since && nowMillis - since <= BELIEVED.toMillis())
                        .isPresent();
        latest = goesBack ? nowMillis : last;
    }

    private static boolean isFarAhead(long timestamp, long nowMillis) {
        return timestamp - nowMillis > FAR_AHEAD.toMillis();
    }

    /** Returns the least timestamp of the next message, ms since 1970. */
    public long latest() {
        return latest;
    }

    /** Returns whether the next message may be earlier than the last one, as the clock was wrong before. */
    public boolean goesBack() {
        return goesBack;
    }

    /**
     * Returns whether the log seemed to have no put for longer than messages are kept, before it was opened or earlier.
     * That is so too if the clock has been set ahead since: then the pause never was. Later puts do not change it, nor
     * do later openings.
     */
    public boolean hadPause(Retention limits) {
        return longestPause > limits.maxAgeMillis();
    }

    /** Returns whether a timestamp is so far ahead of the clock that an operator has to act. */
    public boolean isAhead(long timestamp, long nowMillis) {
        return !goesBack && isFarAhead(timestamp, nowMillis);
    }
}
