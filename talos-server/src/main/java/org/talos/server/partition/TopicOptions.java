// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import org.talos.server.metadata.MetadataException;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentOptions;

/** The settings of each partition's segments, from its topic. Thread-safe. */
@FunctionalInterface
public interface TopicOptions {
    /** Asked for each new segment; must not block. */
    SegmentOptions of(LogId id);

    /**
     * Asked before a partition is opened: the topic may be so new that this server knows the partition only. May block.
     *
     * @throws MetadataException it could not be found out; the opening is tried again
     */
    default void learn(LogId id) throws MetadataException {
        // An implementation that knows all topics has nothing to learn.
    }

    /**
     * Asked before and after a partition that holds nothing is taken: a server may hear late that its topic is deleted.
     * May block.
     *
     * @throws MetadataException it could not be found out; the opening is tried again
     */
    default boolean exists(LogId id) throws MetadataException {
        return true; // an implementation that knows no topics opens
    }

    /**
     * Returns whether the log of a lost partition should be sealed: a log that will be deleted should not. Only a
     * certain deletion counts. May block.
     */
    default boolean isDeleted(LogId id) throws MetadataException {
        return false; // an implementation that knows no topics seals
    }
}
