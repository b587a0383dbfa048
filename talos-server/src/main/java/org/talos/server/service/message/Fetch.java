// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.message;

import java.time.Duration;
import org.talos.server.partition.serving.MessageReads;
import org.talos.server.service.call.PartitionName;

/**
 * A read by the server's own front end. Immutable.
 *
 * @param offset first offset wanted, or {@link #EARLIEST}
 * @param maxMessages more than the server gives is clamped
 * @param maxBytes the same; at least one block is given, however large
 * @param longestWait how long it waits for {@code minBytes} at most
 */
public record Fetch(
        PartitionName partition, long offset, int maxMessages, long maxBytes, Duration longestWait, long minBytes) {
    /** The oldest message that there is. */
    public static final long EARLIEST = MessageReads.START;
}
