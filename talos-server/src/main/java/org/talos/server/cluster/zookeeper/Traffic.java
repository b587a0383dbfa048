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
import org.talos.server.cluster.assignment.Assignment;

/**
 * The traffic of partitions: each server writes one node about its own, the leader reads all of them to level the load.
 *
 * <p>Confined: the cluster-work thread.
 */
final class Traffic {
    private static final Logger LOG = LoggerFactory.getLogger(Traffic.class);
    /** Busiest partitions that a server reports; others count as idle. This keeps a node below 100 KB. */
    private static final int REPORTED = 1_000;

    private final Nodes nodes;
    private Map<String, Map<Integer, Double>> byTopic = Map.of(); // bytes a second
    private double mean; // of the busy partitions

    Traffic(Nodes nodes) {
        this.nodes = nodes;
    }

    /** The node's JSON form: bytes a second by topic and partition. Immutable. */
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

    /** @param live the registered servers; nodes of others are stale */
    void read(Set<String> live) throws KeeperException, InterruptedException {
        Map<String, Map<Integer, Double>> read = new HashMap<>();
        for (String server : nodes.names(nodes.traffic())) {
            if (!live.contains(server)) {
                continue;
            }
            String path = nodes.traffic() + "/" + server;
            NodeData found = nodes.read(path);
            if (found != null) {
                try {
                    // A partition that has moved may be in two nodes: the larger figure is the better estimate.
                    NodeFormat.decode(path, found.data(), Form.class)
                            .bytesPerSecond()
                            .forEach((topic, each) -> each.forEach(
                                    (partition, bytes) -> read.computeIfAbsent(topic, same -> new HashMap<>())
                                            .merge(partition, (double) bytes, Math::max)));
                } catch (IOException e) {
                    LOG.error("traffic cannot be read, counted as none path={} error={}", path, e.getMessage());
                }
            }
        }
        byTopic = read;
        mean = read.values().stream()
                .flatMap(each -> each.values().stream())
                .mapToDouble(Double::doubleValue)
                .average()
                .orElse(0);
    }

    /** A partition's weight: 1, plus its traffic relative to the mean of all busy partitions. */
    Assignment.Weights weights() {
        if (mean == 0) {
            return Assignment.Weights.EQUAL;
        }
        Map<String, Map<Integer, Double>> known = byTopic;
        double one = mean;
        return (topicId, partition) -> 1 + known.getOrDefault(topicId, Map.of()).getOrDefault(partition, 0.0) / one;
    }
}
