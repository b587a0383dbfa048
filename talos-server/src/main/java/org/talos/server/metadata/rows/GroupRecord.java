// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

import java.util.Map;

/**
 * The members of a consumer group on one topic, and the partitions that each of them has locked. One row, so that one
 * compare-and-set takes a lock and records a heartbeat.
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
