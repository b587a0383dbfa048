// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.zookeeper.KeeperException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.cluster.ClusterEvent;

/**
 * The last {@value #KEPT} events of the cluster, kept by the leaders in one node.
 *
 * <p>Confined: the cluster-work thread.
 */
final class EventLog {
    private static final Logger LOG = LoggerFactory.getLogger(EventLog.class);
    private static final int KEPT = 100;

    private final Nodes nodes;
    private final InstantSource clock;
    private final Deque<ClusterEvent> events = new ArrayDeque<>();
    private boolean changed;

    EventLog(Nodes nodes, InstantSource clock) {
        this.nodes = nodes;
        this.clock = clock;
    }

    /** The node's JSON form. Immutable. */
    private record Form(List<ClusterEvent> events) {}

    void add(String text) {
        events.addLast(new ClusterEvent(clock.millis(), text));
        while (events.size() > KEPT) {
            events.removeFirst();
        }
        changed = true;
    }

    /** Loads the events that earlier leaders have written. */
    void read() throws KeeperException, InterruptedException {
        events.clear();
        try {
            events.addAll(stored(nodes));
        } catch (IOException e) {
            LOG.error("cluster events cannot be read, starting with none error={}", e.getMessage());
        }
    }

    /** Writes the events if there are new ones. Two leaders may overwrite each other's: nothing depends on them. */
    void write() throws KeeperException, InterruptedException {
        if (changed) {
            nodes.put(nodes.events(), NodeFormat.encode(new Form(new ArrayList<>(events))));
            changed = false;
        }
    }

    static List<ClusterEvent> stored(Nodes nodes) throws IOException, KeeperException, InterruptedException {
        NodeData found = nodes.read(nodes.events());
        if (found == null || found.data().length == 0) {
            return List.of();
        }
        return NodeFormat.decode(nodes.events(), found.data(), Form.class).events();
    }
}
