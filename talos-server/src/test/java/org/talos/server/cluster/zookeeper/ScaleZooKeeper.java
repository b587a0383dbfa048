// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * ZooKeeper's nodes in memory, on virtual time, with what each call costs. Calls and bytes are counted.
 *
 * <p>Confined: the simulation's thread.
 */
final class ScaleZooKeeper {
    private static final long MICRO = 1_000;
    /** From a client to an answer, of an idle ensemble; a write waits for two logs. */
    private static final long READ_LATENCY = 1_000 * MICRO;

    private static final long WRITE_LATENCY = 3_000 * MICRO;
    /** Capacity of the ensemble of three: 100,000 reads or 10,000 writes a second, and 200 MB. */
    private static final long READ_COST = 10 * MICRO;

    private static final long WRITE_COST = 100 * MICRO;
    private static final long BYTE_COST = 5;
    private static final int ENVELOPE_BYTES = 80; // of a call and its answer, with the status

    final Map<Call, Long> calls = new EnumMap<>(Call.class);
    long bytes;
    private final VirtualTime time;
    private final Map<String, NodeData> nodes = new HashMap<>();
    private final TreeMap<String, TreeSet<String>> names = new TreeMap<>(); // by folder
    private final Map<Long, Consumer<String>> watches = new HashMap<>(); // of all nodes, by session
    private long zxid;
    private long sessions;
    private long busyUntil;

    ScaleZooKeeper(VirtualTime time) {
        this.time = time;
    }

    enum Call {
        READ,
        LIST,
        WRITE,
        TRANSACTION,
        HEARTBEAT,
        EVENT
    }

    long newSession() {
        return ++sessions;
    }

    /** Notifies the session of each node that changes, by its path, while it lives. */
    void watch(long session, Consumer<String> changed) {
        watches.put(session, changed);
    }

    void unwatch(long session) {
        watches.remove(session);
    }

    /** Ends a session: its nodes are deleted. */
    void end(long session) {
        watches.remove(session);
        List<String> own = nodes.entrySet().stream()
                .filter(each -> each.getValue().stat().getEphemeralOwner() == session)
                .map(Map.Entry::getKey)
                .toList();
        own.forEach(path -> {
            nodes.remove(path);
            names.getOrDefault(folder(path), new TreeSet<>()).remove(ClusterView.name(path));
            changed(path);
        });
    }

    private void changed(String path) {
        zxid++;
        watches.values().forEach(each -> each.accept(path));
    }

    private static String folder(String path) {
        return path.substring(0, path.lastIndexOf('/'));
    }

    /** Counts a call; returns how long after now its answer comes. */
    long charge(Call call, long callBytes) {
        boolean write = call == Call.WRITE || call == Call.TRANSACTION;
        calls.merge(call, 1L, Long::sum);
        bytes += callBytes + ENVELOPE_BYTES;
        long cost = (write ? WRITE_COST : READ_COST) + callBytes * BYTE_COST;
        busyUntil = Math.max(busyUntil, time.nanos()) + cost;
        return Math.max(write ? WRITE_LATENCY : READ_LATENCY, busyUntil - time.nanos());
    }

    /** The paths of all nodes below this one. */
    List<String> below(String top) {
        List<String> paths = new ArrayList<>();
        names.tailMap(top).forEach((folder, each) -> {
            if (folder.equals(top) || folder.startsWith(top + "/")) {
                each.forEach(name -> paths.add(folder + "/" + name));
            }
        });
        return paths;
    }

    /** The node, without a call. */
    @Nullable
    NodeData node(String path) {
        NodeData node = nodes.get(path);
        return node;
    }

    /** The calls of one session; they fail while it is not connected. */
    Nodes.Calls calls(long session, BooleanSupplier connected) {
        return new SessionCalls(session, connected);
    }

    /** The calls of one session. Confined. */
    private final class SessionCalls implements Nodes.Calls {
        private final long session;
        private final BooleanSupplier connected;

        SessionCalls(long session, BooleanSupplier connected) {
            this.session = session;
            this.connected = connected;
        }

        private void pay(Call call, String path, long callBytes) throws KeeperException {
            if (!connected.getAsBoolean()) {
                throw KeeperException.create(KeeperException.Code.CONNECTIONLOSS, path);
            }
            time.spend(charge(call, callBytes));
        }

        @Override
        public boolean exists(String path) throws KeeperException {
            pay(Call.READ, path, path.length());
            return nodes.containsKey(path);
        }

        @Override
        public void createWithParents(String path) throws KeeperException {
            create(path, new byte[0], CreateMode.PERSISTENT);
        }

        @Override
        public Stat create(String path, byte[] data, CreateMode mode) throws KeeperException {
            pay(Call.WRITE, path, path.length() + data.length);
            if (nodes.containsKey(path)) {
                throw KeeperException.create(KeeperException.Code.NODEEXISTS, path);
            }
            Stat stat = new Stat();
            stat.setCzxid(zxid + 1);
            stat.setMzxid(zxid + 1);
            stat.setEphemeralOwner(mode.isEphemeral() ? session : 0);
            nodes.put(path, new NodeData(data, stat));
            names.computeIfAbsent(folder(path), each -> new TreeSet<>()).add(ClusterView.name(path));
            changed(path);
            return stat;
        }

        @Override
        public NodeData read(String path) throws KeeperException {
            NodeData node = nodes.get(path);
            pay(Call.READ, path, path.length() + (node == null ? 0 : node.data().length));
            if (node == null) {
                throw KeeperException.create(KeeperException.Code.NONODE, path);
            }
            return new NodeData(node.data(), node.stat());
        }

        @Override
        public List<String> names(String folder) throws KeeperException {
            List<String> found = List.copyOf(names.getOrDefault(folder, new TreeSet<>()));
            pay(Call.LIST, folder, found.stream().mapToLong(String::length).sum());
            return found;
        }

        private NodeData expected(String path, int version) throws KeeperException {
            NodeData before = nodes.get(path);
            if (before == null) {
                throw KeeperException.create(KeeperException.Code.NONODE, path);
            }
            if (version >= 0 && before.stat().getVersion() != version) {
                throw KeeperException.create(KeeperException.Code.BADVERSION, path);
            }
            return before;
        }

        private Stat set(String path, byte[] data, NodeData before) {
            Stat stat = new Stat();
            stat.setCzxid(before.stat().getCzxid());
            stat.setEphemeralOwner(before.stat().getEphemeralOwner());
            stat.setVersion(before.stat().getVersion() + 1);
            stat.setMzxid(zxid + 1);
            nodes.put(path, new NodeData(data, stat));
            changed(path);
            return stat;
        }

        @Override
        public Stat write(String path, byte[] data, int version) throws KeeperException {
            pay(Call.WRITE, path, path.length() + data.length);
            return set(path, data, expected(path, version));
        }

        @Override
        public List<Stat> writeAll(List<Nodes.Write> writes) throws KeeperException {
            pay(
                    Call.TRANSACTION,
                    writes.get(0).path(),
                    writes.stream()
                            .mapToLong(each -> each.path().length() + each.data().length)
                            .sum());
            for (Nodes.Write each : writes) {
                expected(each.path(), each.version());
            }
            List<Stat> done = new ArrayList<>();
            for (Nodes.Write each : writes) {
                done.add(set(each.path(), each.data(), expected(each.path(), each.version())));
            }
            return done;
        }

        @Override
        public Stat put(String path, byte[] data) throws KeeperException {
            if (!nodes.containsKey(path)) {
                return create(path, data, CreateMode.PERSISTENT);
            }
            return write(path, data, -1);
        }

        @Override
        public void delete(String path, int version) throws KeeperException {
            pay(Call.WRITE, path, path.length());
            expected(path, version);
            nodes.remove(path);
            names.getOrDefault(folder(path), new TreeSet<>()).remove(ClusterView.name(path));
            changed(path);
        }
    }
}
