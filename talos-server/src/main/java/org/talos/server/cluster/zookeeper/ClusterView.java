// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.cluster.ClusterMember;

/**
 * What this server has last heard of the cluster. What is older than what is known already is passed over, so news may
 * come on two ways: from ZooKeeper's watches, and from the leader who has just written.
 *
 * <p>Thread-safe: read by anybody; each kind of node is changed under one lock.
 */
final class ClusterView {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterView.class);

    private final String cluster;
    private final String leaderPath;
    private final Map<String, NodeData> known = new ConcurrentHashMap<>(); // by path: the node as a whole
    private final Map<String, Server> servers = new ConcurrentHashMap<>();
    private final Map<String, Topic> topics = new ConcurrentHashMap<>();
    private volatile @Nullable Leader leader;

    ClusterView(Nodes nodes) {
        cluster = nodes.cluster() + "/";
        leaderPath = nodes.leader();
    }

    /** A server that lives. Immutable. */
    record Server(ClusterMember member, boolean serving) {}

    /** A topic's node: what stands in it, and its version for the next write. Immutable. */
    record Topic(TopicOwners owners, int version) {}

    /** Immutable. */
    record Leader(String server, long session) {}

    /** The node is so. True if that is news. */
    synchronized boolean set(String path, byte[] data, Stat stat) {
        NodeData before = known.get(path);
        if (before != null && before.stat().getMzxid() >= stat.getMzxid()) {
            return false;
        }
        known.put(path, new NodeData(data, stat));
        try {
            read(path, data, stat);
        } catch (IOException e) {
            // Of a newer server, or written by hand. It counts as if it were not there, and nothing is written over it.
            forget(path);
            LOG.error("node of the cluster not understood path={} error={}", path, e.getMessage());
        }
        return true;
    }

    /** The node is gone, if it was not made anew since. True if that is news. */
    synchronized boolean remove(String path, Stat last) {
        NodeData before = known.get(path);
        if (before == null || before.stat().getCzxid() > last.getCzxid()) {
            return false;
        }
        known.remove(path);
        forget(path);
        return true;
    }

    /** Only these nodes are there; returns those that were too many. */
    synchronized Set<String> retain(Set<String> paths) {
        Set<String> gone = new TreeSet<>(known.keySet());
        gone.removeAll(paths);
        for (String path : gone) {
            known.remove(path);
            forget(path);
        }
        return gone;
    }

    private void read(String path, byte[] data, Stat stat) throws IOException {
        if (path.equals(leaderPath)) {
            String server = NodeFormat.decode(path, data, LeaderNode.class).server();
            leader = new Leader(server, stat.getEphemeralOwner());
            return;
        }
        String name = name(path);
        if (is(NodeKind.SERVER, path)) {
            Registration registration = NodeFormat.decode(path, data, Registration.class);
            servers.put(name, new Server(registration.member(name), !registration.leaving()));
        } else if (is(NodeKind.TOPIC, path)) {
            topics.put(name, new Topic(TopicOwners.decode(path, data), stat.getVersion()));
        }
    }

    private void forget(String path) {
        if (path.equals(leaderPath)) {
            leader = null;
        } else if (is(NodeKind.SERVER, path)) {
            servers.remove(name(path));
        } else if (is(NodeKind.TOPIC, path)) {
            topics.remove(name(path));
        }
    }

    /** Whether the node is one of this kind. */
    boolean is(NodeKind kind, String path) {
        String folder = cluster + kind.folder() + "/";
        return path.startsWith(folder) && path.length() > folder.length();
    }

    static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** A live server that serves; empty if it is away or about to go. */
    Optional<ClusterMember> serving(String server) {
        Server found = servers.get(server);
        return found != null && found.serving ? Optional.of(found.member) : Optional.empty();
    }

    boolean isServing(String server) {
        Server found = servers.get(server);
        return found != null && found.serving;
    }

    Map<String, Server> servers() {
        return Map.copyOf(servers);
    }

    @Nullable
    Topic topic(String topicId) {
        return topics.get(topicId);
    }

    Map<String, Topic> topics() {
        return Map.copyOf(topics);
    }

    /** Servers that are to own nothing. */
    Set<String> drained() {
        return names(NodeKind.DRAIN);
    }

    Set<String> names(NodeKind kind) {
        return known.keySet().stream()
                .filter(path -> is(kind, path))
                .map(ClusterView::name)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Nullable
    NodeData node(String path) {
        return known.get(path);
    }

    @Nullable
    Leader leader() {
        return leader;
    }

    /** As {@link #set}, of what a watch has brought. */
    boolean set(ChildData node) {
        byte[] data = node.getData();
        return set(node.getPath(), data == null ? new byte[0] : data, node.getStat());
    }
}
