// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import java.util.Map;

/**
 * The members of a consumer group on one topic, and which partition each of them reads. One row: a lock is taken and a
 * heartbeat recorded by the same atomic step.
 *
 * <p>Immutable.
 *
 * @param workers worker id to its last heartbeat, ms since 1970
 * @param locks partition to its lock
 */
public record GroupRecord(Map<String, Long> workers, Map<Integer, PartitionLock> locks) {
    public GroupRecord {
        workers = Map.copyOf(workers);
        locks = Map.copyOf(locks);
    }
}
