// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.zookeeper.KeeperException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.cluster.PartitionTraffic;

/**
 * What partitions are used: each server writes one node about its own, the leader reads them all when it levels.
 *
 * <p>Confined: the thread for calls that block.
 */
final class Traffic {
    private static final Logger LOG = LoggerFactory.getLogger(Traffic.class);
    /** Busiest partitions that a server tells of; others count as idle. With that a node stays below 100 KB. */
    private static final int REPORTED = 1_000;

    private final Nodes nodes;
    private Map<String, Double> byPartition = Map.of();
    private double mean;

    Traffic(Nodes nodes) {
        this.nodes = nodes;
    }

    /** As it stands in its node: bytes a second by partition of each topic. Immutable. */
    private record Form(Map<String, Map<Integer, Long>> bytesPerSecond) {}

    void write(String server, List<PartitionTraffic> traffic) throws KeeperException, InterruptedException {
        Map<String, Map<Integer, Long>> busiest = new TreeMap<>();
        traffic.stream()
                .filter(each -> each.bytesPerSecond() > 0)
                .sorted(Comparator.comparingLong(PartitionTraffic::bytesPerSecond)
                        .reversed())
                .limit(REPORTED)
                .forEach(each -> busiest.computeIfAbsent(each.topicId(), topic -> new TreeMap<>())
                        .put(each.partition(), each.bytesPerSecond()));
        nodes.put(nodes.traffic() + "/" + server, NodeFormat.encode(new Form(busiest)));
    }

    /** @param live servers that have measured lately: what others left is of the past */
    void read(Set<String> live) throws KeeperException, InterruptedException {
        Map<String, Double> read = new HashMap<>();
        for (String server : nodes.names(nodes.traffic())) {
            if (!live.contains(server)) {
                continue;
            }
            String path = nodes.traffic() + "/" + server;
            NodeData found = nodes.read(path);
            if (found != null) {
                try {
                    // A partition that has moved may stand in two: the larger is nearer to what it will be.
                    NodeFormat.decode(path, found.data(), Form.class)
                            .bytesPerSecond()
                            .forEach((topic, each) -> each.forEach((partition, bytes) ->
                                    read.merge(topic + "/" + partition, (double) bytes, Math::max)));
                } catch (IOException e) {
                    LOG.error("traffic not understood, it counts as none path={} error={}", path, e.getMessage());
                }
            }
        }
        byPartition = read;
        mean = read.values().stream().mapToDouble(Double::doubleValue).average().orElse(0);
    }

    /** A partition weighs one, and one more for as much traffic as busy ones have on average. */
    Assignment.Weights weights() {
        if (mean == 0) {
            return Assignment.Weights.EQUAL;
        }
        Map<String, Double> known = byPartition;
        double one = mean;
        return (topicId, partition) -> 1 + known.getOrDefault(topicId + "/" + partition, 0.0) / one;
    }
}
