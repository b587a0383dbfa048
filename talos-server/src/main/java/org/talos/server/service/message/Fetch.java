// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.message;

import java.time.Duration;
import org.talos.server.partition.serving.MessageReads;
import org.talos.server.service.call.PartitionName;

/**
 * A read by a front end that speaks no Thrift. Immutable.
 *
 * @param offset first offset wanted, or {@link #EARLIEST}
 * @param maxMessages clamped to the server's bound
 * @param maxBytes clamped likewise; at least one block is answered, however large
 * @param longestWait how long it waits for {@code minBytes} at most
 */
public record Fetch(
        PartitionName partition, long offset, int maxMessages, long maxBytes, Duration longestWait, long minBytes) {
    /** The oldest message that there is. */
    public static final long EARLIEST = MessageReads.START;
}
