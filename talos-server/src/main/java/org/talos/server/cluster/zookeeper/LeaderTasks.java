// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.zookeeper.KeeperException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.time.Ticker;

/**
 * The tasks that wait for the leader. Each stays until it is done, or ends with an outcome that its operator receives.
 *
 * <p>Confined: the rounds of one leader.
 */
final class LeaderTasks {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderTasks.class);

    private final Nodes nodes;
    private final ClusterView view;
    private final Ticker ticker;
    private final Map<String, Long> seenAt = new HashMap<>(); // when each was seen first, by its node's name
    private final Set<String> unreadable = new TreeSet<>(); // names that were logged
    private final Set<LeaderTask> ended = new HashSet<>(); // in this round
    private Map<String, LeaderTask> tasks = Map.of();

    LeaderTasks(Nodes nodes, ClusterView view, Ticker ticker) {
        this.nodes = nodes;
        this.view = view;
        this.ticker = ticker;
    }

    /** Reads the tasks that this server understands. An unreadable task stays for a leader that can read it. */
    void read() {
        Map<String, LeaderTask> read = new TreeMap<>();
        for (String name : view.names(NodeKind.TASK)) {
            String path = nodes.path(NodeKind.TASK, name);
            NodeData node = view.node(path);
            if (node == null) {
                continue;
            }
            try {
                read.put(name, LeaderTask.decode(path, node));
                seenAt.putIfAbsent(name, ticker.nanos());
            } catch (IOException e) {
                if (unreadable.add(name)) {
                    LOG.error("cluster task unreadable, keeping it path={} error={}", path, e.getMessage());
                }
            }
        }
        seenAt.keySet().retainAll(read.keySet());
        unreadable.retainAll(view.names(NodeKind.TASK));
        unreadable.removeAll(read.keySet());
        tasks = read;
        ended.clear();
    }

    boolean isEmpty() {
        return tasks.isEmpty();
    }

    /** Tasks that cannot be read, in order. */
    Set<String> unreadable() {
        return new TreeSet<>(unreadable);
    }

    /** Number of partitions of topics that were created or have grown. */
    Map<String, Integer> announced() {
        Map<String, Integer> announced = new HashMap<>();
        for (LeaderTask task : of(LeaderTask.Kind.TOPIC)) {
            if (task.number() > 0) {
                announced.put(task.topicId(), task.number());
            }
        }
        return announced;
    }

    /** Topics that were deleted. */
    Set<String> deleted() {
        Set<String> deleted = new TreeSet<>();
        for (LeaderTask task : of(LeaderTask.Kind.TOPIC)) {
            if (task.number() == 0) {
                deleted.add(task.topicId());
            }
        }
        return deleted;
    }

    List<LeaderTask> of(LeaderTask.Kind kind) {
        return tasks.values().stream().filter(task -> task.kind() == kind).toList();
    }

    /** Nanoseconds since this leader has seen the task first. */
    long ageNanos(LeaderTask task) {
        return ticker.nanos() - seenAt.getOrDefault(task.name(), ticker.nanos());
    }

    /** Notes that a task is done, or cannot be. */
    void end(LeaderTask task) {
        ended.add(task);
    }

    /** Deletes the tasks that have ended in this round. */
    void deleteEnded() throws KeeperException, InterruptedException {
        for (LeaderTask task : List.copyOf(tasks.values())) {
            if (ended.contains(task)) {
                String path = nodes.path(NodeKind.TASK, task.name());
                NodeData node = view.node(path);
                if (nodes.delete(path, task.version()) && node != null) {
                    view.remove(path, node.stat());
                    tasks.remove(task.name());
                }
            }
        }
    }
}
