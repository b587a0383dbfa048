// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.time.Duration;
import java.util.function.Consumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.cluster.ClusterRows;
import org.talos.server.metrics.ClusterMetrics;
import org.talos.server.runtime.time.Ticker;

/**
 * Becomes the leader when there is none, and runs the rounds of its {@link Term}. Two servers that both believe that
 * they lead cannot overwrite each other: each write is a compare-and-set.
 *
 * <p>Confined: the thread for calls that block; but {@link #isLeading} is thread-safe.
 */
final class Leader {
    private static final Logger LOG = LoggerFactory.getLogger(Leader.class);

    private final Dependencies shared;
    private final Options options;
    private final Consumer<String> written;
    private final Runnable again;
    private volatile long leadingSession; // session under which this server leads; 0: it does not
    private @Nullable Term term;

    /**
     * A server that does not lead.
     *
     * @param written is called with the path of each node that this server has written
     * @param again asks for a round soon, from any thread
     */
    Leader(Dependencies shared, Options options, Consumer<String> written, Runnable again) {
        this.shared = shared;
        this.options = options;
        this.written = written;
        this.again = again;
    }

    /** The parts of the coordinator that the leader uses. Immutable. */
    record Dependencies(
            Nodes nodes,
            ClusterView view,
            ClusterSession session,
            String self,
            EventLog events,
            Traffic traffic,
            ClusterMetrics metrics) {}

    /**
     * Settings of the leader. Immutable.
     *
     * @param delayRemoved time for which the partitions of an absent server wait for it
     * @param rows of topics and partitions
     * @param beforeWrite is called with each topic between the reading and the writing of its owners
     */
    record Options(Duration delayRemoved, ClusterRows rows, Ticker ticker, Consumer<String> beforeWrite) {}

    boolean isLeading() {
        return leadingSession != 0 && leadingSession == shared.session.id();
    }

    /** Becomes leader if there is none; if this server leads, runs one round of assignment. */
    void round() throws KeeperException, InterruptedException {
        ClusterSession session = shared.session;
        if (session.isServing() && !session.isLive()) {
            return; // after a pause: the next heartbeat decides whether this server still leads
        }
        if (!session.isServing() || !lead()) {
            leave();
            return;
        }
        Term present = term;
        if (present == null || !isLeading()) {
            present = new Term(shared, options, written, again);
            present.begin();
            term = present;
            leadingSession = session.id(); // last: failed work starts again
            LOG.info(
                    "became leader of the cluster server={} servers={} topics={}",
                    shared.self,
                    shared.view.servers().size(),
                    shared.view.topics().size());
        }
        present.round();
    }

    private void leave() {
        leadingSession = 0;
        term = null;
    }

    /** Deletes the leader node, so that another server need not wait for the end of this session. */
    void resign() throws KeeperException, InterruptedException {
        ClusterView.LeaderSession leader = shared.view.leader();
        if (leader != null && leader.session() == shared.session.id()) {
            shared.nodes.delete(shared.nodes.leader(), -1);
        }
        leave();
    }

    private boolean lead() throws KeeperException, InterruptedException {
        Nodes nodes = shared.nodes;
        ClusterView view = shared.view;
        ClusterView.LeaderSession leader = view.leader();
        long sessionId = shared.session.id();
        if (leader != null && leader.session() != sessionId && leader.server().equals(shared.self)) {
            // Written by an earlier process or session of this server.
            NodeData node = view.node(nodes.leader());
            nodes.delete(nodes.leader(), node == null ? -1 : node.stat().getVersion());
            leader = null;
        }
        if (leader != null) {
            return leader.session() == sessionId;
        }
        byte[] data = NodeFormat.encode(new ClusterView.LeaderNode(shared.self));
        Stat stat = nodes.create(nodes.leader(), data, CreateMode.EPHEMERAL);
        if (stat == null || stat.getEphemeralOwner() != sessionId) {
            return false; // another server was faster: the watch brings its node
        }
        view.set(nodes.leader(), data, stat);
        return true;
    }
}
