// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import java.time.Duration;
import org.talos.server.storage.LogId;

/**
 * The cluster's view of the owners of partitions. A server asks it before it takes a partition, so that it takes none
 * from a living server. It is only advice: the epoch in the partition's row keeps two servers from writing one
 * partition.
 *
 * <p>Thread-safe. No call blocks.
 */
public interface Ownership {
    /** The ownership of a single server: every partition is its own, and earlier owners are gone. */
    Ownership ALONE = new Ownership() {
        @Override
        public boolean isOurs(LogId id) {
            return true;
        }

        @Override
        public boolean isOurs(LogId id, long sinceNanos) {
            return false; // another process that has taken it keeps it: else they would take it from each other forever
        }

        @Override
        public boolean isAlive(String process) {
            return false;
        }

        @Override
        public Duration patience() {
            return Duration.ZERO;
        }

        @Override
        public void released(LogId id) {
            // Nobody waits for it.
        }
    };

    /**
     * Returns whether this server is in touch with its cluster now, is not about to stop, and owns the partition
     * according to its view.
     */
    boolean isOurs(LogId id);

    /**
     * Like {@link #isOurs(LogId)}, by news received at or after that time: older news may be the reason why it lost the
     * partition.
     */
    boolean isOurs(LogId id, long sinceNanos);

    /**
     * Returns whether a process that a row names as owner is registered: it serves the partition, or is about to
     * release it.
     */
    boolean isAlive(String process);

    /** Returns how long to wait for a living process before its partition is taken nevertheless. */
    Duration patience();

    /** Announces that this process has released a partition that it has lost. */
    void released(LogId id);
}
