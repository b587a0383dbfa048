// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import org.talos.server.cluster.ClusterRows;
import org.talos.server.cluster.PartitionId;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.metadata.rows.topic.Topics;

/**
 * The leader's questions, answered from the metadata.
 *
 * <p>Thread-safe. Rows are read on background threads.
 */
public final class MetadataRows implements ClusterRows {
    private final Topics topics;
    private final TopicDirectory directory;
    private final Partitions partitions;
    private final Executor background;

    /** Reads these rows. */
    public MetadataRows(Topics topics, TopicDirectory directory, Partitions partitions, Executor background) {
        this.topics = topics;
        this.directory = directory;
        this.partitions = partitions;
        this.background = background;
    }

    @Override
    public long topicsVersion() {
        return directory.version();
    }

    @Override
    public Map<String, Integer> topics() {
        return directory.stored().stream().collect(Collectors.toMap(TopicRecord::topicId, TopicRecord::partitions));
    }

    @Override
    public CompletableFuture<TopicListing> readTopics() {
        return read(() -> {
            Map<String, Integer> found = new HashMap<>();
            Set<String> unreadable = new HashSet<>();
            topics.forEach(
                    topic -> found.put(topic.topicId(), topic.partitions()), (name, why) -> unreadable.add(name));
            return new TopicListing(found, unreadable);
        });
    }

    @Override
    public CompletableFuture<OwnerRows> readOwners(Collection<PartitionId> asked) {
        return read(() -> {
            Map<PartitionId, OwnerRow> found = new HashMap<>();
            Set<PartitionId> unreadable = new HashSet<>();
            for (PartitionId id : asked) {
                try {
                    partitions
                            .find(id.topicId(), id.partition())
                            .map(Versioned::value)
                            .ifPresent(record -> found.put(
                                    id,
                                    new OwnerRow(record.epoch(), record.owner().isEmpty())));
                } catch (MetadataException e) {
                    if (e.reason() != Reason.CORRUPT && e.reason() != Reason.UNKNOWN_FORMAT) {
                        throw e; // of all rows
                    }
                    unreadable.add(id);
                }
            }
            return new OwnerRows(found, unreadable);
        });
    }

    /** Reads rows. */
    @FunctionalInterface
    private interface Reading<T> {
        T read() throws MetadataException;
    }

    private <T> CompletableFuture<T> read(Reading<T> reading) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        try {
            background.execute(() -> {
                try {
                    answer.complete(reading.read());
                } catch (MetadataException | RuntimeException | Error e) { // the caller would wait forever
                    answer.completeExceptionally(e);
                }
            });
        } catch (RejectedExecutionException e) {
            answer.completeExceptionally(e);
        }
        return answer;
    }
}
