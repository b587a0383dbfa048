// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.group;

import java.util.Objects;

/**
 * A group's checkpoint in a partition.
 *
 * <p>Immutable.
 *
 * @param offset of the last message processed; reading continues after it
 * @param workerId the consumer worker that committed it
 * @param timestamp of the commit, ms since 1970
 */
public record CommittedOffset(long offset, String workerId, long timestamp) {
    public CommittedOffset {
        Objects.requireNonNull(workerId, "workerId");
    }
}
