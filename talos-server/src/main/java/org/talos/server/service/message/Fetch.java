// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.message;

import java.time.Duration;
import org.talos.server.partition.serving.MessageReads;
import org.talos.server.service.call.PartitionName;

/**
 * A read by a front end that does not speak Thrift. Immutable.
 *
 * @param offset first offset wanted, or {@link #EARLIEST}
 * @param maxMessages clamped to the server's bound
 * @param maxBytes clamped likewise; at least one block is returned, however large
 * @param longestWait longest wait for {@code minBytes}
 * @param follows whether its wait is bounded only by {@code longestWait} and not by the server's limit for requests:
 *     for a caller that ends it by its presence
 */
public record Fetch(
        PartitionName partition,
        long offset,
        int maxMessages,
        long maxBytes,
        Duration longestWait,
        long minBytes,
        boolean follows) {
    private static final Duration LONGEST = Duration.ofHours(1);

    /** Returns a read that waits no longer than the server's limit for requests. */
    public Fetch(
            PartitionName partition, long offset, int maxMessages, long maxBytes, Duration longestWait, long minBytes) {
        this(partition, offset, maxMessages, maxBytes, longestWait, minBytes, false);
    }

    /** Returns a read that waits for the next message, until it has come or its caller has left. */
    public static Fetch following(PartitionName partition, long offset, int maxMessages, long maxBytes) {
        return new Fetch(partition, offset, maxMessages, maxBytes, LONGEST, 1, true);
    }

    /** The oldest message that there is. */
    public static final long EARLIEST = MessageReads.START;
}
