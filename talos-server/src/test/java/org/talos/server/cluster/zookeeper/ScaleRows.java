// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.talos.server.cluster.ClusterRows;
import org.talos.server.cluster.PartitionId;

/**
 * The rows of topics and partitions, on virtual time, and who serves what since when: what partitions' managers and
 * HBase would do, reduced to the calls that it costs and the time that it takes.
 *
 * <p>Confined: the simulation's thread.
 */
final class ScaleRows implements ClusterRows {
    private static final long MILLI = 1_000_000;
    private static final long GET_LATENCY = 3 * MILLI;
    private static final long LISTING_LATENCY = 100 * MILLI;
    /** A partition's row with the segments of seven days. */
    private static final int ROW_BYTES = 20_000;

    private static final int TOPIC_BYTES = 500;
    private static final int NOBODY = 0;

    long calls;
    long bytes;
    private final VirtualTime time;
    private final int perTopic;
    private final Map<String, Integer> topics = new LinkedHashMap<>();
    private final Map<String, Integer> first = new HashMap<>(); // by topic: number of its partition 0
    private final int[] epochs;
    private final int[] owners; // number of the process, by its row; NOBODY: released
    private final int[] servers; // number of the process that serves it; NOBODY: none
    private final long[] awaySince;
    private final long[] awayMost; // since the last reset
    private int away;
    private boolean there;

    ScaleRows(VirtualTime time, int topics, int perTopic) {
        this.time = time;
        this.perTopic = perTopic;
        for (int topic = 0; topic < topics; topic++) {
            String id = String.format(Locale.ROOT, "%032x", topic);
            first.put(id, topic * perTopic);
            this.topics.put(id, perTopic);
        }
        int all = topics * perTopic;
        epochs = new int[all];
        owners = new int[all];
        servers = new int[all];
        awaySince = new long[all];
        awayMost = new long[all];
        away = all;
    }

    /** All topics are created. */
    void create() {
        there = true;
        Arrays.fill(awaySince, time.nanos());
    }

    int number(String topic, int partition) {
        return first.getOrDefault(topic, 0) + partition;
    }

    int all() {
        return perTopic * topics.size();
    }

    /** Number of partitions that nobody serves. */
    int away() {
        return away;
    }

    /** Time that each partition had no server for, at most, since this was asked last; ordered. */
    long[] awayNanos() {
        long now = time.nanos();
        for (int each = 0; each < all(); each++) {
            if (servers[each] == NOBODY) {
                awayMost[each] = Math.max(awayMost[each], now - awaySince[each]);
            }
        }
        long[] sorted = awayMost.clone();
        Arrays.sort(sorted);
        Arrays.fill(awayMost, 0);
        Arrays.fill(awaySince, now);
        return sorted;
    }

    boolean isReleased(int partition) {
        return owners[partition] == NOBODY;
    }

    int owner(int partition) {
        return owners[partition];
    }

    void countRow() {
        calls++;
        bytes += ROW_BYTES;
    }

    void take(int partition, int process) {
        epochs[partition]++;
        owners[partition] = process;
        countRow();
        countRow();
    }

    void release(int partition, int process) {
        if (owners[partition] == process) {
            owners[partition] = NOBODY;
            countRow();
        }
    }

    void serve(int partition, int process) {
        if (servers[partition] == NOBODY) {
            away--;
            awayMost[partition] = Math.max(awayMost[partition], time.nanos() - awaySince[partition]);
        }
        servers[partition] = process;
    }

    void stopServing(int partition, int process) {
        if (servers[partition] == process) {
            servers[partition] = NOBODY;
            awaySince[partition] = time.nanos();
            away++;
        }
    }

    boolean serves(int partition, int process) {
        return servers[partition] == process;
    }

    @Override
    public long topicsVersion() {
        return there ? 1 : 0;
    }

    @Override
    public Map<String, Integer> topics() {
        return there ? topics : Map.of();
    }

    @Override
    public CompletableFuture<TopicListing> readTopics() {
        calls += 1 + topics.size() / 1_000;
        bytes += (long) TOPIC_BYTES * topics.size();
        CompletableFuture<TopicListing> answer = new CompletableFuture<>();
        time.after(LISTING_LATENCY, () -> answer.complete(new TopicListing(topics, Set.of())));
        return answer;
    }

    @Override
    public CompletableFuture<OwnerRows> readOwners(Collection<PartitionId> partitions) {
        CompletableFuture<OwnerRows> answer = new CompletableFuture<>();
        partitions.forEach(each -> countRow());
        time.after(GET_LATENCY * partitions.size(), () -> {
            Map<PartitionId, OwnerRow> found = new HashMap<>();
            for (PartitionId id : partitions) {
                int partition = number(id.topicId(), id.partition());
                found.put(id, new OwnerRow(epochs[partition], owners[partition] == NOBODY));
            }
            answer.complete(new OwnerRows(found, Set.of()));
        });
        return answer;
    }
}
