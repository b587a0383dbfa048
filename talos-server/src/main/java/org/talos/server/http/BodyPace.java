// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.time.Duration;
import org.talos.server.runtime.time.Ticker;

/**
 * The lowest rate of a body, once a grace period is over: a busy server or a delayed packet does not make a client
 * slow.
 *
 * <p>Jetty's {@code MinimumDataRateHandler} has no grace period, never fails a body without any byte, and ends with an
 * exception where clients get 408.
 *
 * <p>Immutable.
 *
 * @param bytesPerSecond on average since the end of the grace period; 0 means no limit
 * @param startNanos when the head of the request was complete
 */
public record BodyPace(long bytesPerSecond, Duration grace, long startNanos, Ticker ticker) {
    private static final double NANOS_PER_SECOND = 1e9;

    /** Returns whether a body of which so much has come is below the rate. */
    public boolean isTooSlow(long receivedBytes) {
        long counted = ticker.nanos() - startNanos - grace.toNanos();
        return counted > 0 && receivedBytes < counted / NANOS_PER_SECOND * bytesPerSecond;
    }
}
