// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.group.Groups;
import org.talos.server.metadata.rows.group.Offsets;
import org.talos.server.metadata.rows.quota.Quotas;
import org.talos.server.metadata.rows.topic.DeletedTopic;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.metadata.rows.topic.Topics;
import org.talos.server.partition.serving.TopicPartitions;
import org.talos.server.runtime.thread.Later;

/**
 * Deletes what remains of a topic that is out of service: its locks, offsets, and messages, then its tombstone. Failed
 * steps are retried until they succeed. After the end of the process, the next start continues, or another server does.
 * Two servers may sweep one topic at the same time.
 *
 * <p>Thread-safe. Sweeping runs on other threads.
 */
final class TopicDeletions {
    private static final Logger LOG = LoggerFactory.getLogger(TopicDeletions.class);
    private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
    private static final Duration LAST_RETRY = Duration.ofMinutes(1);

    private final TopicDirectory directory;
    private final Topics topics;
    private final Groups groups;
    private final Offsets offsets;
    private final TopicPartitions partitions;
    private final Quotas quotas;
    private final Later later;
    private final Set<String> sweeping = ConcurrentHashMap.newKeySet(); // ids of topics that this server sweeps
    private volatile Set<String> leftBefore = Set.of(); // ids of topics that no server had swept at the last check

    TopicDeletions(TopicRows rows, TopicPartitions partitions, Later later) {
        this.directory = rows.directory();
        this.topics = rows.topics();
        this.groups = rows.groups();
        this.offsets = rows.offsets();
        this.quotas = rows.quotas();
        this.partitions = partitions;
        this.later = later;
    }

    /**
     * Takes the topic out of service and starts the sweep of the rest; returns false if it is already gone. If it
     * fails, the sweep that has begun is finished in the background.
     */
    boolean delete(TopicRecord topic) throws MetadataException {
        try {
            boolean deleted = directory.delete(topic.topicId());
            if (deleted) {
                begin(topic.topicId());
            }
            return deleted;
        } catch (MetadataException e) {
            if (e.effect() != Effect.NONE) {
                begin(topic.topicId());
            }
            throw e;
        }
    }

    /** Sweeps the rest of earlier deletions. Call it at the start. */
    void resume() throws MetadataException {
        directory.tombstones().forEach(tombstone -> begin(tombstone.topicId()));
    }

    /** Sweeps the remains that existed at the previous call already: a deletion in progress would be done. */
    void adopt() throws MetadataException {
        Set<String> left = new HashSet<>();
        for (DeletedTopic tombstone : directory.tombstones()) {
            left.add(tombstone.topicId());
            if (leftBefore.contains(tombstone.topicId())) {
                begin(tombstone.topicId());
            }
        }
        leftBefore = Set.copyOf(left);
    }

    private void begin(String topicId) {
        if (sweeping.add(topicId)) {
            later(topicId, Duration.ZERO, FIRST_RETRY);
        }
    }

    private void later(String topicId, Duration delay, Duration nextDelay) {
        boolean given = false;
        try {
            later.run(delay, () -> sweep(topicId, nextDelay));
            given = true;
        } catch (RejectedExecutionException e) {
            LOG.info("sweep of a deleted topic failed, the next start will retry topicId={}", topicId);
        } finally {
            if (!given) {
                sweeping.remove(topicId);
            }
        }
    }

    private void sweep(String topicId, Duration retryAfter) {
        boolean done = false;
        try {
            // The tombstone knows the number of partitions; the topic's record does not.
            Optional<DeletedTopic> tombstone = topics.deleted(topicId);
            if (tombstone.isPresent()) {
                directory.delete(topicId); // does something only where an earlier delete has stopped half-way
                topics.finishDelete(tombstone.get()); // the same for a topic that is not known here
                sweep(tombstone.get());
            }
            done = true;
        } catch (MetadataException | TalosException e) {
            LOG.info(
                    "sweep of a deleted topic failed, will retry topicId={} againInMs={} cause={}",
                    topicId,
                    retryAfter.toMillis(),
                    e.toString());
        } catch (RuntimeException | Error e) { // otherwise it would be retried only at the next start
            LOG.error(
                    "sweep of a deleted topic failed, will retry topicId={} againInMs={}",
                    topicId,
                    retryAfter.toMillis(),
                    e);
        }
        if (done) {
            sweeping.remove(topicId);
        } else {
            Duration doubled = retryAfter.multipliedBy(2);
            later(topicId, retryAfter, doubled.compareTo(LAST_RETRY) > 0 ? LAST_RETRY : doubled);
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
