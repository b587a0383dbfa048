// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.zookeeper.KeeperException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.cluster.Coordinator.HandoverListener;
import org.talos.server.cluster.ServerHealth;

/**
 * The announcements of this server to the others, by nodes that are written without waiting, and those of the others.
 * One write announces several changes; one that fails is not repeated: others find out later by themselves.
 *
 * <p>Thread-safe.
 */
final class Announcements {
    private static final Logger LOG = LoggerFactory.getLogger(Announcements.class);
    /** Changes of rows within this time are announced by one write. */
    private static final Duration ROWS_CHANGED_DELAY = Duration.ofMillis(50);
    /** The delay of announced releases, for which another server waits. */
    private static final Duration RELEASED_DELAY = Duration.ofMillis(10);

    private final ZooKeeperLink link;
    private final Nodes nodes;
    private final ClusterView view;
    private final ClusterSession session;
    private final String self;
    private final String process;
    private final ClusterThreads threads;
    private final List<HandoverListener> handoverListeners = new CopyOnWriteArrayList<>();
    private final List<Runnable> rowsListeners = new CopyOnWriteArrayList<>();
    private final List<Runnable> drainListeners = new CopyOnWriteArrayList<>();
    private final AtomicBoolean rowsDue = new AtomicBoolean();
    private final List<Release> unannounced = new ArrayList<>(); // used by the event thread only
    private Releases releases = Releases.NONE; // used by the event thread only

    /** A partition that its server has nothing of any more. Immutable. */
    record Release(String topicId, int partition) {}

    /**
     * The recent releases of a server: content of its node. Immutable.
     *
     * @param released the latest, oldest first
     */
    record Releases(List<Release> released) {
        static final Releases NONE = new Releases(List.of());
        /** More than a server releases in the time that a node takes to be read; this keeps it below 30 KB. */
        private static final int REMEMBERED = 256;

        Releases {
            released = List.copyOf(released);
        }

        /** These and the later ones, each partition once; the oldest are forgotten. */
        Releases and(List<Release> later) {
            List<Release> all = new ArrayList<>(released);
            all.removeAll(later);
            all.addAll(later);
            return new Releases(all.subList(Math.max(0, all.size() - REMEMBERED), all.size()));
        }
    }

    /**
     * How a server is: content of its node. Immutable.
     *
     * @param process that says so
     */
    record Health(String process, ServerHealth health) {}

    Announcements(
            ZooKeeperLink link,
            Nodes nodes,
            ClusterView view,
            ClusterSession session,
            String self,
            String process,
            ClusterThreads threads) {
        this.link = link;
        this.nodes = nodes;
        this.view = view;
        this.session = session;
        this.self = self;
        this.process = process;
        this.threads = threads;
    }

    /** As {@link org.talos.server.cluster.Coordinator#topicChanged}. */
    void topicChanged(String topicId, int partitions) {
        send(
                nodes.path(NodeKind.TASK, "topic-" + topicId),
                LeaderTask.topic(topicId, partitions).encode());
    }

    /** As {@link org.talos.server.cluster.Coordinator#rowsChanged}. */
    void rowsChanged() {
        if (rowsDue.compareAndSet(false, true)) {
            threads.onEventsAfter(ROWS_CHANGED_DELAY, () -> {
                rowsDue.set(false); // first: a later change is announced again
                send(nodes.path(NodeKind.ROWS, self), new byte[0]);
            });
        }
    }

    /** How this server is; to be called at intervals. What the cluster is not seen to have is announced again. */
    void health(ServerHealth now) {
        if (session.isConnected() && !view.health(self).equals(Optional.of(now))) {
            send(nodes.path(NodeKind.HEALTH, self), NodeFormat.encode(new Health(process, now)));
        }
    }

    /** As {@link org.talos.server.cluster.Coordinator#released}. */
    void released(String topicId, int partition) {
        threads.onEvents(() -> release(topicId, partition));
    }

    /**
     * Announces a release, unless this server owns the partition again, or its topic is deleted. No server waits for it
     * then.
     */
    private void release(String topicId, int partition) {
        ClusterView.VersionedOwners topic = view.topic(topicId);
        if (topic == null || topic.owners().owner(partition).equals(self)) {
            return;
        }
        if (unannounced.isEmpty()) {
            threads.onEventsAfter(RELEASED_DELAY, this::announceReleases);
        }
        unannounced.add(new Release(topicId, partition));
    }

    /** As {@link org.talos.server.cluster.Coordinator#onHandovers}. */
    void onHandovers(HandoverListener listener) {
        handoverListeners.add(listener);
    }

    /** As {@link org.talos.server.cluster.Coordinator#onRowsChanged}. */
    void onRowsChanged(Runnable listener) {
        rowsListeners.add(listener);
    }

    /** As {@link org.talos.server.cluster.Coordinator#onDrained}. */
    void onDrained(Runnable listener) {
        drainListeners.add(listener);
    }

    /** A server has announced a change of rows. */
    void rowsChanged(String server) {
        if (!server.equals(self)) {
            rowsListeners.forEach(Runnable::run);
        }
    }

    /** An operator has begun to drain a server, or ended that. */
    void drainChanged(String server) {
        if (server.equals(self) && view.drained().contains(server)) {
            drainListeners.forEach(Runnable::run);
        }
    }

    /** Another server has announced releases. */
    void heard(String server) {
        for (Release each : view.released(server).released()) {
            handoverListeners.forEach(listener -> listener.released(each.topicId, each.partition));
        }
    }

    /** This server is in touch with its cluster again. */
    void inTouch() {
        handoverListeners.forEach(HandoverListener::inTouch);
    }

    private void announceReleases() {
        releases = releases.and(unannounced);
        unannounced.clear();
        send(nodes.path(NodeKind.RELEASED, self), NodeFormat.encode(releases));
    }

    /** Writes a node without waiting, on threads of the link's own. */
    private void send(String path, byte[] data) {
        if (session.state() == ClusterSession.State.CLOSED) {
            return;
        }
        link.putLater(path, data, code -> {
            if (code != KeeperException.Code.OK.intValue()) {
                LOG.warn(
                        "change not announced to the cluster; others see it later path={} error={}",
                        path,
                        KeeperException.Code.get(code));
            }
        });
    }
}
