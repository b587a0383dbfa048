// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.assignment;

import java.time.Duration;
import org.talos.server.runtime.time.Ticker;

/**
 * The number of topics whose owners may be written now. The others wait for a later round.
 *
 * <p>Confined: the rounds of one leader.
 */
public final class WriteAllowance {
    /**
     * Every server reads each written topic's node. This number of readings in this time is half the capacity of an
     * ensemble of three. The rest is for heartbeats, without which servers stop answering.
     */
    private static final int READINGS = 25_000;

    private static final long READINGS_NANOS = Duration.ofMillis(500).toNanos();

    private final Ticker ticker;
    private long begunAt;
    private int written; // topics since then

    /** Nothing is written yet. */
    public WriteAllowance(Ticker ticker) {
        this.ticker = ticker;
        begunAt = ticker.nanos() - READINGS_NANOS;
    }

    /** Returns the number of topics that may be written now. */
    public int left(int servers) {
        if (ticker.nanos() - begunAt >= READINGS_NANOS) {
            begunAt = ticker.nanos();
            written = 0;
        }
        return Math.max(0, READINGS / Math.max(1, servers) - written);
    }

    /** Counts a topic that was written. */
    public void onWritten() {
        written++;
    }
}
