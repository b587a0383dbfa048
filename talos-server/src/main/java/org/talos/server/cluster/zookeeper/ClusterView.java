// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.io.IOException;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.ServerHealth;

/**
 * This server's view of the cluster's nodes. An update older than the known node is ignored, so updates may come both
 * from ZooKeeper's watches and from the leader that has just written.
 *
 * <p>Thread-safe: updates run under one lock.
 */
final class ClusterView {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterView.class);
    private static final byte[] NOT_KEPT = {};

    private final String cluster;
    private final String leaderPath;
    private final Map<String, NodeData> known = new ConcurrentHashMap<>(); // by path: the node as a whole
    private final Map<NodeKind, Set<String>> names = new EnumMap<>(NodeKind.class); // of the known nodes
    private final Set<String> unreadable = new ConcurrentSkipListSet<>(); // paths
    private final Set<String> changedTopics = new HashSet<>(); // since they were last taken
    private final Map<String, LiveServer> servers = new ConcurrentHashMap<>();
    private final Map<String, VersionedOwners> topics = new ConcurrentHashMap<>();
    private final Map<String, Announcements.Releases> released = new ConcurrentHashMap<>(); // by server
    private final Map<String, Announcements.Health> health = new ConcurrentHashMap<>(); // by server
    private final AtomicLong version = new AtomicLong();
    private volatile @Nullable LeaderSession leader;

    ClusterView(Nodes nodes) {
        cluster = nodes.cluster() + "/";
        leaderPath = nodes.leader();
        for (NodeKind kind : NodeKind.values()) {
            names.put(kind, new ConcurrentSkipListSet<>());
        }
    }

    /** A registered server. Immutable. */
    record LiveServer(ClusterMember member, String process, boolean serving) {}

    /** A topic's node: its owners, and its version for the next write. Immutable. */
    record VersionedOwners(TopicOwners owners, int version) {}

    /** Content of the leader's node: the server that creates it leads until its session ends. Immutable. */
    record LeaderNode(String server) {}

    /** The leader's node: its server, and the session that holds it. Immutable. */
    record LeaderSession(String server, long session) {}

    /** Sets the node; false if it is known at that or a later version. */
    synchronized boolean set(String path, byte[] data, Stat stat) {
        NodeData before = known.get(path);
        if (before != null && before.stat().getMzxid() >= stat.getMzxid()) {
            return false;
        }
        // A topic's bytes are not needed again: only its status, for the next write.
        known.put(path, new NodeData(is(NodeKind.TOPIC, path) ? NOT_KEPT : data, stat));
        changed(path);
        ofKind(path).ifPresent(kind -> in(kind).add(name(path)));
        try {
            read(path, data, stat);
            unreadable.remove(path);
        } catch (IOException e) {
            // Written by a newer server, or by hand: treated as missing, and never overwritten.
            forget(path);
            unreadable.add(path);
            LOG.error("cluster node cannot be read path={} error={}", path, e.getMessage());
        }
        return true;
    }

    /** Removes the node; false if it is not known, or was created again since. */
    synchronized boolean remove(String path, Stat last) {
        NodeData before = known.get(path);
        if (before == null || before.stat().getCzxid() > last.getCzxid()) {
            return false;
        }
        drop(path);
        return true;
    }

    private void drop(String path) {
        known.remove(path);
        unreadable.remove(path);
        ofKind(path).ifPresent(kind -> in(kind).remove(name(path)));
        forget(path);
        changed(path);
    }

    private void changed(String path) {
        if (is(NodeKind.TOPIC, path)) {
            changedTopics.add(name(path));
        }
        if (!is(NodeKind.ROWS, path) && !is(NodeKind.HEALTH, path)) {
            version.incrementAndGet();
        }
    }

    private Set<String> in(NodeKind kind) {
        return names.getOrDefault(kind, Set.of());
    }

    private Optional<NodeKind> ofKind(String path) {
        for (NodeKind kind : NodeKind.values()) {
            if (is(kind, path)) {
                return Optional.of(kind);
            }
        }
        return Optional.empty();
    }

    /** A number that grows with each change of a node that an assignment depends on. */
    long version() {
        return version.get();
    }

    /** The topics whose nodes have changed since the last call. */
    synchronized Set<String> takeChangedTopics() {
        Set<String> taken = Set.copyOf(changedTopics);
        changedTopics.clear();
        return taken;
    }

    /** Paths of the nodes that cannot be read, in order. */
    Set<String> unreadable() {
        return new TreeSet<>(unreadable);
    }

    /** Removes all nodes but these; returns the removed ones. */
    synchronized Set<String> retain(Set<String> paths) {
        Set<String> gone = new TreeSet<>(known.keySet());
        gone.removeAll(paths);
        gone.forEach(this::drop);
        return gone;
    }

    private void read(String path, byte[] data, Stat stat) throws IOException {
        if (path.equals(leaderPath)) {
            String server = NodeFormat.decode(path, data, LeaderNode.class).server();
            leader = new LeaderSession(server, stat.getEphemeralOwner());
            return;
        }
        String name = name(path);
        if (is(NodeKind.SERVER, path)) {
            Registration registration = NodeFormat.decode(path, data, Registration.class);
            servers.put(
                    name, new LiveServer(registration.member(name), registration.process(), !registration.leaving()));
        } else if (is(NodeKind.TOPIC, path)) {
            topics.put(name, new VersionedOwners(TopicOwners.decode(path, data), stat.getVersion()));
        } else if (is(NodeKind.RELEASED, path)) {
            released.put(name, NodeFormat.decode(path, data, Announcements.Releases.class));
        } else if (is(NodeKind.HEALTH, path)) {
            health.put(name, NodeFormat.decode(path, data, Announcements.Health.class));
        }
    }

    private void forget(String path) {
        if (path.equals(leaderPath)) {
            leader = null;
        } else if (is(NodeKind.SERVER, path)) {
            servers.remove(name(path));
        } else if (is(NodeKind.TOPIC, path)) {
            topics.remove(name(path));
        } else if (is(NodeKind.RELEASED, path)) {
            released.remove(name(path));
        } else if (is(NodeKind.HEALTH, path)) {
            health.remove(name(path));
        }
    }

    /** Returns whether the node is of this kind. */
    boolean is(NodeKind kind, String path) {
        int folder = cluster.length() + kind.folder().length();
        return path.length() > folder + 1
                && path.charAt(folder) == '/'
                && path.startsWith(kind.folder(), cluster.length())
                && path.startsWith(cluster);
    }

    static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** The server if it is registered and not leaving. */
    Optional<ClusterMember> serving(String server) {
        LiveServer found = servers.get(server);
        return found != null && found.serving ? Optional.of(found.member) : Optional.empty();
    }

    /** Returns all registered servers except one, including those that are leaving. */
    List<ClusterMember> othersThan(String server) {
        return servers.entrySet().stream()
                .filter(each -> !each.getKey().equals(server))
                .map(each -> each.getValue().member)
                .toList();
    }

    boolean isServing(String server) {
        LiveServer found = servers.get(server);
        return found != null && found.serving;
    }

    /** Returns whether a process is registered, or may be: an unreadable server's node may be that of any process. */
    boolean isAlive(String process) {
        return servers.values().stream().anyMatch(server -> server.process.equals(process))
                || unreadable.stream().anyMatch(path -> is(NodeKind.SERVER, path));
    }

    /** Returns the recent releases of a server. */
    Announcements.Releases released(String server) {
        return released.getOrDefault(server, Announcements.Releases.NONE);
    }

    /** Returns the health that a registered server reported; reports of an earlier process of its id do not count. */
    Optional<ServerHealth> health(String server) {
        LiveServer live = servers.get(server);
        return Optional.ofNullable(health.get(server))
                .filter(said -> live != null && said.process().equals(live.process))
                .map(Announcements.Health::health);
    }

    Map<String, LiveServer> servers() {
        return Map.copyOf(servers);
    }

    @Nullable
    VersionedOwners topic(String topicId) {
        return topics.get(topicId);
    }

    Map<String, VersionedOwners> topics() {
        return Map.copyOf(topics);
    }

    /** Servers that are drained. */
    Set<String> drained() {
        return names(NodeKind.DRAIN);
    }

    /** Returns whether a server has a node, and so a session. This version need not be able to read the node. */
    boolean isThere(String server) {
        return in(NodeKind.SERVER).contains(server);
    }

    /** Returns whether a server has no node, or has one that says that it does not serve. */
    boolean isAway(String server) {
        boolean unreadable = isThere(server) && !servers().containsKey(server);
        return !unreadable && !isServing(server);
    }

    Set<String> names(NodeKind kind) {
        return new TreeSet<>(in(kind));
    }

    @Nullable
    NodeData node(String path) {
        return known.get(path);
    }

    @Nullable
    LeaderSession leader() {
        return leader;
    }

    /** Like {@link #set(String, byte[], Stat)}, for a node that a watch has delivered. */
    boolean set(ChildData node) {
        byte[] data = node.getData();
        return set(node.getPath(), data == null ? new byte[0] : data, node.getStat());
    }
}
