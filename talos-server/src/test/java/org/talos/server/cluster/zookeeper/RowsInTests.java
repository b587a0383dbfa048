// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.talos.server.cluster.ClusterRows;
import org.talos.server.cluster.PartitionId;

/** Rows as a test wants them: by default the caches have what is stored, and every owner has released. Thread-safe. */
final class RowsInTests implements ClusterRows {
    final Map<String, Integer> unseen = new ConcurrentHashMap<>(); // rows that the caches do not have
    final Set<String> gone = ConcurrentHashMap.newKeySet(); // topics without a row that the caches have still
    final Set<String> unreadable = ConcurrentHashMap.newKeySet(); // names
    final Map<PartitionId, OwnerRow> owners = new ConcurrentHashMap<>();
    final AtomicLong listings = new AtomicLong();
    volatile boolean released = true; // partitions whose owner is not set
    volatile Runnable beforeTopics = () -> {}; // in each round of a leader
    private final Map<String, Integer> cached;
    private final AtomicLong version = new AtomicLong();

    RowsInTests(Map<String, Integer> cached) {
        this.cached = cached;
    }

    /** Grows with each call: a test changes the map at any time. */
    @Override
    public long topicsVersion() {
        return version.incrementAndGet();
    }

    @Override
    public Map<String, Integer> topics() {
        beforeTopics.run();
        return Map.copyOf(cached);
    }

    @Override
    public CompletableFuture<TopicListing> readTopics() {
        listings.incrementAndGet();
        Map<String, Integer> stored = new HashMap<>(cached);
        stored.putAll(unseen);
        stored.keySet().removeAll(gone);
        return CompletableFuture.completedFuture(new TopicListing(stored, unreadable));
    }

    @Override
    public CompletableFuture<OwnerRows> readOwners(Collection<PartitionId> partitions) {
        Map<PartitionId, OwnerRow> found = new HashMap<>();
        for (PartitionId partition : partitions) {
            found.put(partition, owners.getOrDefault(partition, new OwnerRow(1, released)));
        }
        return CompletableFuture.completedFuture(new OwnerRows(found, Set.of()));
    }
}
