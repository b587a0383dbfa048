// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import java.util.Objects;

/**
 * How far a group has processed a partition.
 *
 * <p>Immutable.
 *
 * @param offset the last message processed, so that reading goes on behind it
 * @param workerId who said so
 * @param timestamp when, ms since 1970
 */
public record CommittedOffset(long offset, String workerId, long timestamp) {
    public CommittedOffset {
        Objects.requireNonNull(workerId, "workerId");
    }
}
