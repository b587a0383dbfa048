// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.group;

import java.util.Map;
import java.util.Objects;
import org.talos.server.metadata.rows.RowText;

/**
 * A consumer group on one topic: whose it is, its members, and the partitions that each of them has locked. One row, so
 * that one compare-and-set takes a lock and records a heartbeat, and a check of rights reads nothing more.
 *
 * <p>Immutable.
 *
 * @param owner the user who created the group; empty if it has no owner yet
 * @param grants rights of users, teams, and orgs other than the owner
 * @param workers worker id to its last heartbeat
 * @param locks partition to its lock
 */
public record GroupRecord(
        String owner, Map<String, Right> grants, Map<String, Worker> workers, Map<Integer, PartitionLock> locks) {
    /** A group without an owner. */
    public static final GroupRecord NOBODY = new GroupRecord("", Map.of(), Map.of(), Map.of());

    private static final long EMPTY_ROW_BYTES = 60;
    private static final long GRANT_BYTES = 16; // "":"ADMINISTER",
    private static final long WORKER_BYTES = 48; // "":{"heartbeat":-9223372036854775808,"user":""},
    private static final long LOCK_BYTES = 64; // "2147483647":{"workerId":"","expiresAt":-9223372036854775808},

    public GroupRecord {
        Objects.requireNonNull(owner, "owner");
        grants = Map.copyOf(grants);
        workers = Map.copyOf(workers);
        locks = Map.copyOf(locks);
    }

    /** Returns the bytes of the row at most: those of a text by its characters, those of a number by the longest. */
    public long rowBytes() {
        long bytes = EMPTY_ROW_BYTES + RowText.bytes(owner);
        for (String grantee : grants.keySet()) {
            bytes += GRANT_BYTES + RowText.bytes(grantee);
        }
        for (Map.Entry<String, Worker> worker : workers.entrySet()) {
            bytes += WORKER_BYTES
                    + RowText.bytes(worker.getKey())
                    + RowText.bytes(worker.getValue().user());
        }
        for (PartitionLock lock : locks.values()) {
            bytes += LOCK_BYTES + RowText.bytes(lock.workerId());
        }
        return bytes;
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
     * @param user who joined as this member; empty in rows that were version 1
     */
    public record Worker(long heartbeat, String user) {
        public Worker {
            Objects.requireNonNull(user, "user");
        }
    }
}
