// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The rows that a cluster's leader reads from the metadata, as the seam to it. The leader assigns partitions by cached
 * rows, and reads a row again before any step that a stale cache would make wrong.
 *
 * <p>Thread-safe. No call blocks: rows are read on other threads, and a future whose reading failed fails with the
 * cause.
 */
public interface ClusterRows {
    /** A number that grows whenever {@link #topics} may have changed. */
    long topicsVersion();

    /**
     * Returns the number of partitions of each topic by its id, from memory. A topic that is missing may exist, and one
     * that is present may be deleted.
     */
    Map<String, Integer> topics();

    /** Reads all topics' rows again. The listing shows the state after the call began. */
    CompletableFuture<TopicListing> readTopics();

    /** Reads the rows of these partitions, and returns their owners. */
    CompletableFuture<OwnerRows> readOwners(Collection<PartitionId> partitions);

    /**
     * Owners of partitions by their rows. Immutable.
     *
     * @param found of the partitions that were opened once
     * @param unreadable partitions with an unreadable row, of a newer version for example
     */
    record OwnerRows(Map<PartitionId, OwnerRow> found, Set<PartitionId> unreadable) {
        /** Copies map and set. */
        public OwnerRows {
            found = Map.copyOf(found);
            unreadable = Set.copyOf(unreadable);
        }
    }

    /**
     * All topics' rows. Immutable.
     *
     * @param partitions number of partitions of each topic by its id
     * @param unreadable names of the topics whose rows cannot be read; any id that is lacking may be one of theirs
     */
    record TopicListing(Map<String, Integer> partitions, Set<String> unreadable) {
        /** Copies map and set. */
        public TopicListing {
            partitions = Map.copyOf(partitions);
            unreadable = Set.copyOf(unreadable);
        }

        /** Returns whether the topic's row is certainly gone. */
        public boolean lacks(String topicId) {
            return unreadable.isEmpty() && !partitions.containsKey(topicId);
        }
    }

    /**
     * A partition's ownership by its row. Immutable.
     *
     * @param epoch incremented by each takeover
     * @param released whether the owner of that epoch has closed the log, so that a takeover fences no one
     */
    record OwnerRow(long epoch, boolean released) {}
}
