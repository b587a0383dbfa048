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
 * What happened lately, in one node: the newest, as leaders have seen it.
 *
 * <p>Confined: the thread for calls that block.
 */
final class Events {
    private static final Logger LOG = LoggerFactory.getLogger(Events.class);
    private static final int KEPT = 100;

    private final Nodes nodes;
    private final InstantSource clock;
    private final Deque<ClusterEvent> events = new ArrayDeque<>();
    private boolean changed;

    Events(Nodes nodes, InstantSource clock) {
        this.nodes = nodes;
        this.clock = clock;
    }

    /** As they stand in their node. Immutable. */
    private record Form(List<ClusterEvent> events) {}

    void add(String text) {
        events.addLast(new ClusterEvent(clock.millis(), text));
        while (events.size() > KEPT) {
            events.removeFirst();
        }
        changed = true;
    }

    /** Goes on where the leader before has ended. */
    void read() throws KeeperException, InterruptedException {
        events.clear();
        try {
            events.addAll(stored(nodes));
        } catch (IOException e) {
            LOG.error("events of the cluster not understood, they begin anew error={}", e.getMessage());
        }
    }

    /** Two leaders may write over each other's: nothing depends on them. */
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
