// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import java.time.Duration;
import org.talos.server.storage.LogId;

/**
 * The cluster's view of the owners of partitions: asked before this server takes one, so that it takes none from a
 * server that lives. Advice only: what keeps two servers from writing one partition is the epoch in its row.
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
            return false; // another that has taken it keeps it: the two would take it from each other forever
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
     * Returns whether this server is in touch with its cluster now, is not about to stop, and owns the partition by
     * what it knows.
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

    /** Returns how long a process that is alive is waited for, before a partition is taken from it all the same. */
    Duration patience();

    /** Announces that this process has nothing any more of a partition that it has lost. */
    void released(LogId id);
}
