// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.talos.server.simulation.SimulatedProcess;

/**
 * A ZooKeeper in memory: a tree of nodes, and sessions that expire without heartbeats. Each change is one step;
 * watchers learn of it later, through its {@link SimulatedLink}.
 *
 * <p>Confined: the simulation's thread.
 */
public final class SimulatedZooKeeper {
    private static final String SERVERS = SimulatedCoordinator.ROOT + "/cluster/servers/";
    private static final byte[] NEWER = "{\"v\":99}".getBytes(StandardCharsets.UTF_8);

    private final LongSupplier nanos;
    private final NavigableMap<String, Node> nodes = new TreeMap<>();
    private final Map<Long, Session> sessions = new HashMap<>();
    private final List<Runnable> watchers = new ArrayList<>();
    private final List<Listener> listeners = new ArrayList<>();
    private final Set<String> newer = new TreeSet<>(); // paths of nodes that a newer version has written
    private final Map<String, Long> shownSince = new HashMap<>(); // paths of nodes that could not be read before
    private long zxid;
    private long sessionsMade;
    private int sequence;

    /** An empty one; the supplier is the time. */
    public SimulatedZooKeeper(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** A node. Immutable. */
    private static final class Node {
        private final byte[] data;
        private final Stat stat;

        Node(byte[] data, Stat stat) {
            this.data = data;
            this.stat = stat;
        }
    }

    /** Is notified of each change at once. Confined: the simulation's thread. */
    @FunctionalInterface
    public interface Listener {
        /** A node was created, written, or deleted: then {@code data} is null. */
        void changed(String path, byte @Nullable [] before, byte @Nullable [] data);
    }

    /** A session. Confined: the simulation's thread. */
    private static final class Session {
        private final long timeoutNanos;
        private long heardNanos;

        Session(long timeoutNanos, long heardNanos) {
            this.timeoutNanos = timeoutNanos;
            this.heardNanos = heardNanos;
        }
    }

    /** Adds a listener for the checks of a simulation. */
    public void onChange(Listener listener) {
        listeners.add(listener);
    }

    void watch(Runnable watcher) {
        watchers.add(watcher);
    }

    void unwatch(Runnable watcher) {
        watchers.remove(watcher);
    }

    long connect(long timeoutNanos) {
        long id = 0x1000 + ++sessionsMade;
        sessions.put(id, new Session(timeoutNanos, nanos.getAsLong()));
        return id;
    }

    /** A heartbeat of a session; false if it has expired. */
    boolean heard(long id) {
        Session session = sessions.get(id);
        if (session != null) {
            session.heardNanos = nanos.getAsLong();
        }
        return session != null;
    }

    boolean isLive(long id) {
        return sessions.containsKey(id);
    }

    /** Ends sessions of which nothing was heard for too long; to be called at intervals. */
    public void expire() {
        List<Long> gone = new ArrayList<>();
        sessions.forEach((id, session) -> {
            if (nanos.getAsLong() - session.heardNanos > session.timeoutNanos) {
                gone.add(id);
            }
        });
        gone.forEach(this::end);
    }

    void end(long id) {
        if (sessions.remove(id) == null) {
            return;
        }
        List<String> owned = nodes.entrySet().stream()
                .filter(node -> node.getValue().stat.getEphemeralOwner() == id)
                .map(Map.Entry::getKey)
                .toList();
        for (String path : owned) {
            remove(path);
        }
    }

    /** Content of a node, for the checks of a simulation. */
    public Optional<byte[]> peek(String path) {
        return Optional.ofNullable(nodes.get(path)).map(node -> node.data);
    }

    /** Has all servers but one read the node of that one as one that a newer version wrote, while it stays. */
    public void hideServer(String server) {
        String path = SERVERS + server;
        if (nodes.containsKey(path)) {
            newer.add(path);
            rewrite(path);
        }
    }

    /** All nodes can be read again. */
    public void hideNothing() {
        List<String> hidden = List.copyOf(newer);
        newer.clear();
        hidden.forEach(path -> {
            shownSince.put(path, nanos.getAsLong());
            rewrite(path);
        });
    }

    /** Returns whether servers could not read the node of another one at some time since then. */
    public boolean wasHidden(String server, long sinceNanos) {
        String path = SERVERS + server;
        return newer.contains(path) || shownSince.getOrDefault(path, Long.MIN_VALUE) >= sinceNanos;
    }

    private void rewrite(String path) {
        Node node = nodes.get(path);
        if (node != null) {
            var unused = rewrite(path, node, node.data);
        }
    }

    /** Returns a node as a server reads it. */
    ChildData shown(ChildData node, String server) {
        boolean hidden = newer.contains(node.getPath()) && !node.getPath().equals(SERVERS + server);
        return hidden ? new ChildData(node.getPath(), node.getStat(), NEWER) : node;
    }

    /** Owner of a partition, as the topic's node has it; empty for none. */
    public String owner(String path, int partition) {
        return peek(path).map(data -> owner(path, data, partition)).orElse("");
    }

    /** Owner of a partition by a topic's node. */
    public static String owner(String path, byte[] data, int partition) {
        try {
            return TopicOwners.decode(path, data).owner(partition);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The process that a server's node names. */
    public static String process(String path, byte[] data) {
        try {
            return NodeFormat.decode(path, data, Registration.class).process();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A server that is asked to take a partition, and which; empty for tasks of other kinds. */
    public static Optional<Move> move(String path, byte[] data) {
        try {
            LeaderTask task = LeaderTask.decode(path, new NodeData(data, new Stat()));
            return task.kind() == LeaderTask.Kind.MOVE
                    ? Optional.of(new Move(task.topicId(), task.number(), task.server()))
                    : Optional.empty();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A move that an operator has asked for. Immutable. */
    public record Move(String topicId, int partition, String server) {}

    @Nullable
    NodeData find(String path) {
        Node node = nodes.get(path);
        return node == null ? null : new NodeData(node.data, copy(node.stat));
    }

    NodeData read(String path) throws KeeperException {
        NodeData found = find(path);
        if (found == null) {
            throw new KeeperException.NoNodeException(path);
        }
        return found;
    }

    /** All nodes below a path, with the path itself. */
    NavigableMap<String, ChildData> below(String path) {
        NavigableMap<String, ChildData> found = new TreeMap<>();
        nodes.subMap(path, true, path + "0", false).forEach((each, node) -> {
            if (each.equals(path) || each.startsWith(path + "/")) {
                found.put(each, new ChildData(each, copy(node.stat), node.data));
            }
        });
        return found;
    }

    List<String> names(String path) {
        String folder = path + "/";
        return nodes.keySet().stream()
                .filter(each -> each.startsWith(folder) && each.indexOf('/', folder.length()) < 0)
                .map(each -> each.substring(folder.length()))
                .toList();
    }

    Stat create(String path, byte[] data, CreateMode mode, long session) throws KeeperException {
        String name = mode.isSequential() ? path + String.format(Locale.ROOT, "%010d", sequence++) : path;
        if (nodes.containsKey(name)) {
            throw new KeeperException.NodeExistsException(name);
        }
        Stat stat = new Stat();
        stat.setCzxid(++zxid);
        stat.setMzxid(zxid);
        stat.setCtime(millis());
        stat.setMtime(millis());
        stat.setEphemeralOwner(mode.isEphemeral() ? session : 0);
        nodes.put(name, new Node(data, stat));
        changed(name, null, data);
        return copy(stat);
    }

    void createWithParents(String path) throws KeeperException {
        int parent = path.lastIndexOf('/');
        if (parent > 0 && !nodes.containsKey(path.substring(0, parent))) {
            createWithParents(path.substring(0, parent));
        }
        var unused = create(path, new byte[0], CreateMode.PERSISTENT, 0);
    }

    Stat write(String path, byte[] data, int version) throws KeeperException {
        Node node = nodes.get(path);
        if (node == null) {
            throw new KeeperException.NoNodeException(path);
        }
        if (version != -1 && version != node.stat.getVersion()) {
            throw new KeeperException.BadVersionException(path);
        }
        return rewrite(path, node, data);
    }

    private Stat rewrite(String path, Node node, byte[] data) {
        Stat stat = copy(node.stat);
        stat.setVersion(stat.getVersion() + 1);
        stat.setMzxid(++zxid);
        stat.setMtime(millis());
        nodes.put(path, new Node(data, stat));
        changed(path, node.data, data);
        return copy(stat);
    }

    Stat put(String path, byte[] data) throws KeeperException {
        return nodes.containsKey(path) ? write(path, data, -1) : create(path, data, CreateMode.PERSISTENT, 0);
    }

    /** All of them or none. */
    List<Stat> writeAll(List<Nodes.Write> writes) throws KeeperException {
        for (Nodes.Write each : writes) {
            Node node = nodes.get(each.path());
            if (node == null) {
                throw new KeeperException.NoNodeException(each.path());
            }
            if (each.version() != -1 && each.version() != node.stat.getVersion()) {
                throw new KeeperException.BadVersionException(each.path());
            }
        }
        List<Stat> written = new ArrayList<>(writes.size());
        for (Nodes.Write each : writes) {
            written.add(write(each.path(), each.data(), each.version()));
        }
        return written;
    }

    void delete(String path, int version) throws KeeperException {
        Node node = nodes.get(path);
        if (node == null) {
            throw new KeeperException.NoNodeException(path);
        }
        if (version != -1 && version != node.stat.getVersion()) {
            throw new KeeperException.BadVersionException(path);
        }
        remove(path);
    }

    private void remove(String path) {
        Node gone = nodes.remove(path);
        if (newer.remove(path)) {
            shownSince.put(path, nanos.getAsLong());
        }
        zxid++;
        changed(path, gone == null ? null : gone.data, null);
    }

    private void changed(String path, byte @Nullable [] before, byte @Nullable [] data) {
        listeners.forEach(listener -> listener.changed(path, before, data));
        List.copyOf(watchers).forEach(Runnable::run);
    }

    private long millis() {
        return SimulatedProcess.WALL_MILLIS + nanos.getAsLong() / 1_000_000;
    }

    private static Stat copy(Stat of) {
        return new Stat(
                of.getCzxid(),
                of.getMzxid(),
                of.getCtime(),
                of.getMtime(),
                of.getVersion(),
                of.getCversion(),
                of.getAversion(),
                of.getEphemeralOwner(),
                of.getDataLength(),
                of.getNumChildren(),
                of.getPzxid());
    }
}
