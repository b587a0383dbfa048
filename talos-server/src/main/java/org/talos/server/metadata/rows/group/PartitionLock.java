// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.group;

import java.util.Objects;

/**
 * A consumer worker's right to read a partition for its group.
 *
 * <p>Immutable.
 *
 * @param expiresAt ms since 1970: from then on another worker may take it
 */
public record PartitionLock(String workerId, long expiresAt) {
    public PartitionLock {
        Objects.requireNonNull(workerId, "workerId");
    }
}
