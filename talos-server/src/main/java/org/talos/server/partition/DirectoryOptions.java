// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentOptions;

/** The options of segments, from the attributes of their topic. Thread-safe. */
public record DirectoryOptions(TopicDirectory directory) implements TopicOptions {
    @Override
    public SegmentOptions of(LogId id) {
        return directory
                .storedById(id.topicId())
                .map(topic -> SegmentOptions.of(topic.attributes()))
                .orElse(SegmentOptions.DEFAULT);
    }

    @Override
    public void learn(LogId id) throws MetadataException {
        directory.refreshIfMissing(id.topicId());
    }

    @Override
    public boolean exists(LogId id) throws MetadataException {
        return directory.exists(id.topicId());
    }

    @Override
    public boolean isDeleted(LogId id) throws MetadataException {
        return directory.isDeleted(id.topicId());
    }
}
