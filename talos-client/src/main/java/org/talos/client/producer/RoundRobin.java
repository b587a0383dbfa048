// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;

/**
 * Chooses the partition of messages without a key: one for 100 ms or 1,000 messages, then the next, as the other SDKs
 * do.
 *
 * <p>Thread-safe.
 */
final class RoundRobin {
    private static final long TURN_NANOS = Duration.ofMillis(100).toNanos();
    private static final int TURN_MESSAGES = 1_000;

    @GuardedBy("this")
    private int partition;

    @GuardedBy("this")
    private int messages = TURN_MESSAGES;

    @GuardedBy("this")
    private long sinceNanos;

    /**
     * Creates a choice that begins after some partition.
     *
     * @param start differs between producers, so that they do not all begin with the same partition
     */
    RoundRobin(int start) {
        partition = start & Integer.MAX_VALUE;
    }

    /** Returns the partition of the next message. */
    synchronized int next(int partitions, long nowNanos) {
        if (messages >= TURN_MESSAGES || nowNanos - sinceNanos >= TURN_NANOS) {
            partition = (partition + 1) & Integer.MAX_VALUE;
            messages = 0;
            sinceNanos = nowNanos;
        }
        messages++;
        return partition % partitions;
    }
}
