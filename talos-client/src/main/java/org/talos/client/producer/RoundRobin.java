// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;

/**
 * Where messages without a key go: to one partition for 100 ms or 1,000 messages, then to the next, as the SDKs do it.
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

    /** @param start which partition is first: producers should not all begin with the same */
    RoundRobin(int start) {
        partition = start & Integer.MAX_VALUE;
    }

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
