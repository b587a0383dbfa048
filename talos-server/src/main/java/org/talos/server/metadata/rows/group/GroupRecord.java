// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.group;

import java.util.Map;
import java.util.Objects;

/**
 * A consumer group on one topic: whose it is, its members, and the partitions that each of them has locked. One row, so
 * that one compare-and-set takes a lock and records a heartbeat, and a check of rights reads nothing more.
 *
 * <p>Immutable.
 *
 * @param owner the user who made the group; empty if nobody has it yet
 * @param grants what users, teams and orgs besides the owner may do
 * @param workers worker id to its last heartbeat
 * @param locks partition to its lock
 */
public record GroupRecord(
        String owner, Map<String, Right> grants, Map<String, Worker> workers, Map<Integer, PartitionLock> locks) {
    /** A group of nobody. */
    public static final GroupRecord NOBODY = new GroupRecord("", Map.of(), Map.of(), Map.of());

    public GroupRecord {
        Objects.requireNonNull(owner, "owner");
        grants = Map.copyOf(grants);
        workers = Map.copyOf(workers);
        locks = Map.copyOf(locks);
    }

    /** Rights to a group; each includes those before it. */
    public enum Right {
        /** See members, offsets and lag. */
        READ,
        /** Join, commit, and leave as one's own member. */
        COMMIT,
        /** Reset and delete the group, and give rights to others. */
        ADMINISTER
    }

    /**
     * A member's last heartbeat. Immutable.
     *
     * @param heartbeat ms since 1970
     * @param user who joined as it; empty in rows that were version 1
     */
    public record Worker(long heartbeat, String user) {
        public Worker {
            Objects.requireNonNull(user, "user");
        }
    }
}
