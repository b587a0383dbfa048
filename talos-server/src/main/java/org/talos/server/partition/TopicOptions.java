// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import org.talos.server.metadata.MetadataException;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentOptions;

/** The settings of each partition's segments, from its topic. Thread-safe. */
@FunctionalInterface
public interface TopicOptions {
    /** Returns the options of a new segment; must not block. */
    SegmentOptions of(LogId id);

    /**
     * Called before a partition is opened: the topic may be so new that this server knows only the partition. May
     * block.
     *
     * @throws MetadataException it could not be determined; the opening is retried
     */
    default void learn(LogId id) throws MetadataException {
        // Does nothing: an implementation that knows all topics has nothing to learn.
    }

    /**
     * Called before and after an empty partition is taken: a server may be notified late that its topic is deleted. May
     * block.
     *
     * @throws MetadataException it could not be determined; the opening is retried
     */
    default boolean exists(LogId id) throws MetadataException {
        return true; // an implementation without topics opens
    }

    /**
     * Returns whether the log of a lost partition should be sealed: a log that will be deleted should not. Only a
     * certain deletion counts. May block.
     */
    default boolean isDeleted(LogId id) throws MetadataException {
        return false; // an implementation without topics seals
    }
}
