// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.assignment;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.talos.server.cluster.ClusterRows;
import org.talos.server.cluster.PartitionId;

/** Rows whose reading a test answers when it wants. Confined: the test's thread. */
final class AskedRows implements ClusterRows {
    final Map<String, Integer> cached = new HashMap<>();
    int questions;
    private List<PartitionId> asked = List.of();
    private CompletableFuture<OwnerRows> owners = new CompletableFuture<>();
    private CompletableFuture<TopicListing> topics = new CompletableFuture<>();
    private long version;

    void cache(String topic, int partitions) {
        cached.put(topic, partitions);
        version++;
    }

    void uncache(String topic) {
        cached.remove(topic);
        version++;
    }

    @Override
    public long topicsVersion() {
        return version;
    }

    @Override
    public Map<String, Integer> topics() {
        return Map.copyOf(cached);
    }

    @Override
    public CompletableFuture<TopicListing> readTopics() {
        questions++;
        topics = new CompletableFuture<>();
        return topics;
    }

    void answer(Map<String, Integer> stored, String... unreadable) {
        topics.complete(new TopicListing(stored, Set.of(unreadable)));
    }

    void failTopics(Exception cause) {
        topics.completeExceptionally(cause);
    }

    @Override
    public CompletableFuture<OwnerRows> readOwners(Collection<PartitionId> partitions) {
        questions++;
        asked = List.copyOf(partitions);
        owners = new CompletableFuture<>();
        return owners;
    }

    /** All rows are like this one. */
    void answer(OwnerRow row) {
        Map<PartitionId, OwnerRow> found = new HashMap<>();
        asked.forEach(each -> found.put(each, row));
        owners.complete(new OwnerRows(found, Set.of()));
    }

    /** All rows are like this one, except an unreadable one. */
    void answer(OwnerRow row, PartitionId unreadable) {
        Map<PartitionId, OwnerRow> found = new HashMap<>();
        asked.stream().filter(each -> !each.equals(unreadable)).forEach(each -> found.put(each, row));
        owners.complete(new OwnerRows(found, Set.of(unreadable)));
    }

    void answerNothing() {
        owners.complete(new OwnerRows(Map.of(), Set.of()));
    }

    void fail(Exception cause) {
        owners.completeExceptionally(cause);
    }
}
