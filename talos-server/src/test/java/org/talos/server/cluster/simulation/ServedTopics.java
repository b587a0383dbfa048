// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.simulation;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntConsumer;
import org.talos.common.error.Exceptions;
import org.talos.common.error.TalosException;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.zookeeper.ZooKeeperCoordinator;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.topic.DeletedTopic;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.metadata.rows.topic.Topics;
import org.talos.server.partition.PartitionManager;
import org.talos.server.partition.serving.ForwardContext;
import org.talos.server.storage.LogId;
import org.talos.server.storage.StorageException;
import org.talos.thrift.ErrorCode;

/**
 * Does the work of a server when clients create, grow, and delete topics, as the services do.
 *
 * <p>Confined: the simulation's thread.
 */
record ServedTopics(
        SimulatedServer server,
        Topics rows,
        TopicDirectory directory,
        ZooKeeperCoordinator coordinator,
        PartitionManager manager) {

    private void note(String what) {
        server.world().scheduler().note(what);
    }

    /** A client's change. */
    @FunctionalInterface
    private interface Change {
        void run() throws MetadataException;
    }

    private void changes(String what, Change change) {
        try {
            change.run();
        } catch (MetadataException | TalosException e) {
            note(what + " failed: " + e.getMessage());
        }
    }

    void create(TopicRecord topic, Runnable created) {
        changes("creation", () -> {
            if (directory.create(topic)) {
                created.run();
                coordinator.topicChanged(topic.topicId(), topic.partitions());
            }
        });
    }

    void grow(TopicRecord topic, int partitions, IntConsumer grown) {
        changes("growth", () -> {
            Optional<TopicRecord> now = directory.update(
                    topic.topicId(),
                    found -> found.partitions() < partitions
                            ? found.withPartitions(partitions, server.process.wallMillis())
                            : found);
            if (now.isPresent()) {
                grown.accept(now.get().partitions());
                coordinator.topicChanged(topic.topicId(), now.get().partitions());
            }
        });
    }

    void delete(TopicRecord topic) {
        changes("deletion", () -> {
            if (directory.delete(topic.topicId())) {
                sweepTombstone(topic);
            }
        });
    }

    /** Deletes what a deleted topic has left, if it is not done. */
    void sweep(TopicRecord topic) {
        changes("sweep", () -> sweepTombstone(topic));
    }

    /** The tombstone, not a topic's record, knows how many partitions there were. */
    private void sweepTombstone(TopicRecord topic) throws MetadataException {
        Optional<DeletedTopic> tombstone = rows.deleted(topic.topicId());
        if (tombstone.isPresent()) {
            rows.finishDelete(tombstone.get());
            coordinator.topicChanged(topic.topicId(), 0);
            awaitReleased(tombstone.get(), server.process.now() + SimulatedServer.DEADLINE.toNanos());
        }
    }

    /** Deletes what is left once no other server has a partition of it; as {@code ServedPartitions}. */
    private void awaitReleased(DeletedTopic topic, long until) {
        var ids = LogId.all(topic.topicId(), topic.partitions());
        Map<String, CompletionStage<Boolean>> asked = new HashMap<>();
        for (ClusterMember other : coordinator.others()) {
            asked.put(
                    other.id(),
                    server.world()
                            .hop(server, other.id())
                            .bounds(ids, new ForwardContext(server.id, until))
                            .handle((found, error) -> error == null ? found.isEmpty() : isNotServing(error)));
        }
        var unused = CompletableFuture.allOf(asked.values().stream()
                        .map(CompletionStage::toCompletableFuture)
                        .toArray(CompletableFuture[]::new))
                .thenRun(() -> {
                    boolean released = asked.values().stream()
                            .allMatch(each -> each.toCompletableFuture().join());
                    if (released) {
                        server.onUpkeep(() -> deleteNow(topic));
                    } else if (server.process.now() < until) {
                        server.process.after(20_000_000, () -> awaitReleased(topic, until));
                    }
                });
    }

    private static boolean isNotServing(Throwable error) {
        return Exceptions.unwrap(error) instanceof TalosException e && e.code() == ErrorCode.PARTITION_NOT_SERVING;
    }

    private void deleteNow(DeletedTopic topic) {
        try {
            manager.delete(topic.topicId(), topic.partitions());
            rows.removeTombstone(topic.topicId());
            note("swept " + topic.name());
        } catch (StorageException | MetadataException e) {
            note("topic not swept: " + e.getMessage());
        }
    }
}
