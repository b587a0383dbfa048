// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.DeletedTopic;
import org.talos.server.metadata.rows.Groups;
import org.talos.server.metadata.rows.Offsets;
import org.talos.server.metadata.rows.Quotas;
import org.talos.server.metadata.rows.TopicRecord;
import org.talos.server.metadata.rows.Topics;
import org.talos.server.partition.serving.TopicPartitions;

/**
 * Deletes what a topic leaves once it is out of service: its locks, offsets and messages, then its tombstone. What
 * fails or is interrupted is done at the next start.
 *
 * <p>Thread-safe. Sweeping runs on the executor.
 */
final class TopicDeletions {
    private static final Logger LOG = LoggerFactory.getLogger(TopicDeletions.class);

    private final TopicDirectory directory;
    private final Topics topics;
    private final Groups groups;
    private final Offsets offsets;
    private final TopicPartitions partitions;
    private final Quotas quotas;
    private final Executor background;

    TopicDeletions(
            TopicDirectory directory,
            Topics topics,
            Groups groups,
            Offsets offsets,
            Quotas quotas,
            TopicPartitions partitions,
            Executor background) {
        this.directory = directory;
        this.topics = topics;
        this.groups = groups;
        this.offsets = offsets;
        this.quotas = quotas;
        this.partitions = partitions;
        this.background = background;
    }

    /** Takes the topic out of service and has the rest swept; false if it is gone already. */
    boolean delete(TopicRecord topic) throws MetadataException {
        boolean deleted = directory.delete(topic.topicId());
        if (deleted) {
            // The tombstone, not this record, knows how many partitions there were.
            inBackground(topic.topicId(), () -> {
                for (DeletedTopic tombstone : directory.tombstones()) {
                    if (tombstone.topicId().equals(topic.topicId())) {
                        sweep(tombstone);
                    }
                }
            });
        }
        return deleted;
    }

    /** Sweeps what earlier deletes have left: to be called at the start. */
    void resume() throws MetadataException {
        for (DeletedTopic tombstone : directory.tombstones()) {
            inBackground(tombstone.topicId(), () -> sweep(tombstone));
        }
    }

    /** May fail. */
    private interface Sweep {
        void run() throws MetadataException;
    }

    private void inBackground(String topicId, Sweep sweep) {
        try {
            background.execute(() -> {
                try {
                    sweep.run();
                } catch (MetadataException | TalosException e) {
                    LOG.warn("deleted topic not swept, the next start tries again topicId={}", topicId, e);
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.warn("deleted topic not swept, the next start tries again topicId={}", topicId, e);
        }
    }

    private void sweep(DeletedTopic tombstone) throws MetadataException {
        partitions.delete(tombstone);
        groups.deleteAll(tombstone.topicId());
        offsets.deleteAll(tombstone.topicId());
        quotas.removeTopic(tombstone.topicId());
        topics.removeTombstone(tombstone.topicId());
        LOG.info("topic deleted topic={} topicId={}", tombstone.name(), tombstone.topicId());
    }
}
