// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.ObjIntConsumer;
import java.util.stream.Collectors;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.talos.server.simulation.SimulatedPool;
import org.talos.server.simulation.SimulatedProcess;

/**
 * A server's client of the simulated ZooKeeper, which behaves as Curator's does: it pings, notices late that it is cut
 * off, begins a new session when the old one has expired, and reads nodes again after each change and each
 * reconnection. A call that is cut may have taken effect, or still do so.
 *
 * <p>Confined: the simulation's thread.
 */
public final class SimulatedLink implements ZooKeeperLink {
    private static final long MILLI = 1_000_000;
    private static final int OK = KeeperException.Code.OK.intValue();
    private static final int LOSS = KeeperException.Code.CONNECTIONLOSS.intValue();
    private static final int MOST_DELAY_MILLIS = 30;

    private final SimulatedZooKeeper server;
    private final SimulatedProcess process;
    private final SimulatedPool own;
    private final Random random;
    private final long timeoutNanos;
    private Consumer<ConnectionState> listener = state -> {};
    private long session;
    private long heardNanos; // the last answer
    private boolean connected;
    private boolean lost; // reported
    private boolean closed;
    private long cutUntil;
    private Way cutWay = Way.BOTH;
    private String unwritten = ""; // path of the node whose next creation fails; empty for none

    /** A link of a process, with such a session timeout. */
    public SimulatedLink(SimulatedZooKeeper server, SimulatedProcess process, Random random, long timeoutNanos) {
        this.server = server;
        this.process = process;
        this.random = random;
        this.timeoutNanos = timeoutNanos;
        own = process.pool("zookeeper", 1, false).light().quiet();
    }

    /** The messages that a cut holds up. */
    public enum Way {
        BOTH,
        /** Nothing reaches ZooKeeper. */
        THERE,
        /** Nothing comes back: the session lives on for as long as this side believes in its connection. */
        BACK
    }

    SimulatedProcess process() {
        return process;
    }

    private long nanos() {
        return process.now();
    }

    /**
     * Cuts the connection for a time in nanoseconds.
     *
     * @param seen whether this side notices it at once, as when the other closes the connection
     */
    public void cut(long forNanos, boolean seen) {
        cut(forNanos, seen, Way.BOTH);
    }

    /** Cuts the connection for a time in nanoseconds, one way or both. */
    public void cut(long forNanos, boolean seen, Way way) {
        cutWay = isCut() && way != cutWay ? Way.BOTH : way;
        cutUntil = Math.max(cutUntil, nanos() + forNanos);
        if (seen) {
            own.execute(this::disconnected);
        }
    }

    /** Heals the connection. */
    public void heal() {
        cutUntil = 0;
    }

    /** Has the next creation of a node fail, without effect. */
    void failToCreate(String path) {
        unwritten = path;
    }

    /** Returns whether no creation has failed since {@link #failToCreate}. */
    boolean isFailureDue() {
        return !unwritten.isEmpty();
    }

    /** Ends the session, as an operator of ZooKeeper may. This side does not know of it yet. */
    public void endSession() {
        server.end(session);
    }

    private boolean isCutBackOnly() {
        return isCut() && cutWay == Way.BACK && connected;
    }

    /** Returns whether the network is cut now, seen or not. */
    public boolean isCut() {
        return nanos() < cutUntil;
    }

    /** The session, whether it lives or not. */
    long sessionId() {
        return session;
    }

    @Override
    public void start(Consumer<ConnectionState> to, Runnable refused) {
        listener = to;
        own.execute(this::ping);
    }

    /** The simulated ZooKeeper refuses nobody. */
    @Override
    public void beginAnew() {
        throw new IllegalStateException("refused by nobody");
    }

    @Override
    public void protect(String path) {
        // It has no access lists.
    }

    /** Pings, and keeps the state of the connection; repeats itself. */
    private void ping() {
        if (closed) {
            return;
        }
        if (isCut()) {
            var unused = isCutBackOnly() && server.heard(session); // the ping arrives
            hearNothing();
        } else if (connected && server.heard(session)) {
            heardNanos = nanos();
        } else {
            reconnect();
        }
        process.after(timeoutNanos / 12 + random.nextInt(20) * MILLI, () -> own.execute(this::ping));
    }

    private void hearNothing() {
        long silent = nanos() - heardNanos;
        if (connected && silent > timeoutNanos * 2 / 3) {
            disconnected();
        }
        if (!connected && !lost && session != 0 && silent > timeoutNanos) {
            lost = true;
            listener.accept(ConnectionState.LOST);
        }
    }

    private void disconnected() {
        if (connected && !closed) {
            connected = false;
            listener.accept(ConnectionState.SUSPENDED);
        }
    }

    private void reconnect() {
        boolean first = session == 0;
        if (!server.heard(session)) {
            disconnected();
            if (!first && !lost) {
                listener.accept(ConnectionState.LOST);
            }
            session = server.connect(timeoutNanos);
        }
        heardNanos = nanos();
        connected = true;
        lost = false;
        listener.accept(first ? ConnectionState.CONNECTED : ConnectionState.RECONNECTED);
    }

    @Override
    public boolean isConnected() {
        return connected;
    }

    @Override
    public Session session() {
        return new Session(session, (int) TimeUnit.NANOSECONDS.toMillis(timeoutNanos));
    }

    /** A call to ZooKeeper. */
    @FunctionalInterface
    private interface Call<T> {
        T run() throws KeeperException;
    }

    private long delay() {
        return random.nextInt(MOST_DELAY_MILLIS) * MILLI;
    }

    private <T> T call(Call<T> call) throws KeeperException {
        process.requireAlive();
        if (closed) {
            throw new IllegalStateException("the client is closed");
        }
        if (random.nextInt(4) == 0) {
            process.call(delay());
        }
        if (isCut() || !connected) {
            lose(call);
            throw new KeeperException.ConnectionLossException();
        }
        if (!server.heard(session)) {
            throw new KeeperException.SessionExpiredException();
        }
        heardNanos = nanos();
        T result = call.run();
        if (random.nextInt(4) == 0) {
            process.call(delay());
            if (isCut()) {
                throw new KeeperException.ConnectionLossException(); // it has taken effect
            }
        }
        return result;
    }

    /** A call without an answer: it arrives now, late, or not at all. */
    private <T> void lose(Call<T> call) {
        long sessionThen = session;
        if (isCutBackOnly() && server.heard(session)) {
            withoutAnswer(call);
        } else if (random.nextInt(3) == 0 && connected) {
            process.detached(delay() + random.nextInt(2_000) * MILLI, () -> late(call, sessionThen));
        }
        process.call(300 * MILLI + random.nextInt(1_000) * MILLI);
    }

    private <T> void late(Call<T> call, long sessionThen) {
        if (server.isLive(sessionThen)) {
            withoutAnswer(call);
        }
    }

    private static <T> void withoutAnswer(Call<T> call) {
        try {
            var unused = call.run();
        } catch (KeeperException e) {
            return; // the caller gets no answer
        }
    }

    @Override
    public Stat create(String path, byte[] data, CreateMode mode) throws KeeperException {
        if (path.equals(unwritten)) {
            unwritten = "";
            throw new KeeperException.ConnectionLossException();
        }
        return call(() -> server.create(path, data, mode, session));
    }

    @Override
    public void createWithParents(String path) throws KeeperException {
        call(() -> {
            server.createWithParents(path);
            return path;
        });
    }

    @Override
    public boolean exists(String path) throws KeeperException {
        return call(() -> server.find(path) != null);
    }

    @Override
    public NodeData read(String path) throws KeeperException {
        return call(() -> server.read(path));
    }

    @Override
    public List<String> names(String path) throws KeeperException {
        return call(() -> server.names(path));
    }

    @Override
    public Stat write(String path, byte[] data, int version) throws KeeperException {
        return call(() -> server.write(path, data, version));
    }

    @Override
    public List<Stat> writeAll(List<Nodes.Write> writes) throws KeeperException {
        return call(() -> server.writeAll(writes));
    }

    @Override
    public Stat put(String path, byte[] data) throws KeeperException {
        return call(() -> server.put(path, data));
    }

    @Override
    public void delete(String path, int version) throws KeeperException {
        call(() -> {
            server.delete(path, version);
            return path;
        });
    }

    /** Applies after a delay, and answers after another; nobody waits. */
    private void later(Call<@Nullable Stat> call, ObjIntConsumer<@Nullable Stat> answer) {
        long sent = session;
        process.after(delay(), () -> {
            int code = LOSS;
            Stat stat = null;
            boolean arrives = !isCut() || cutWay == Way.BACK;
            if (arrives && connected && session == sent && server.heard(session)) {
                try {
                    stat = call.run();
                    code = OK;
                } catch (KeeperException e) {
                    code = e.code().intValue();
                }
            }
            Stat found = stat;
            int result = code;
            process.after(delay(), () -> own.execute(() -> answer.accept(found, isCut() ? LOSS : result)));
        });
    }

    @Override
    public void existsLater(String path, ObjIntConsumer<@Nullable Stat> answer) {
        later(() -> server.read(path).stat(), answer);
    }

    @Override
    public void putLater(String path, byte[] data, IntConsumer answer) {
        later(() -> server.put(path, data), (stat, code) -> answer.accept(code));
    }

    @Override
    public Watch watch(String path, Watcher watcher) {
        return new CacheWatch(path, watcher);
    }

    @Override
    public void close() {
        closed = true;
        connected = false;
        if (!isCut()) {
            server.end(session);
        }
    }

    /** Stands in for Curator's cache: reads changes soon after they happen. Confined: the simulation's thread. */
    private final class CacheWatch implements Watch {
        private final String path;
        private final Watcher watcher;
        private final Runnable changed = this::changed;
        private final CuratorLink.WatchedNodes known = new CuratorLink.WatchedNodes();
        private boolean due;
        private boolean initialized;
        private boolean ended;

        CacheWatch(String path, Watcher watcher) {
            this.path = path;
            this.watcher = watcher;
        }

        @Override
        public void start() {
            server.watch(changed);
            changed();
        }

        private void changed() {
            if (!due && !ended) {
                due = true;
                process.after(1 + delay(), () -> own.execute(this::read));
            }
        }

        private void read() {
            due = false;
            if (ended || process.isEnded()) {
                return;
            }
            if (isCut() || !connected) {
                due = true; // read once the connection is back
                process.after(50 * MILLI, () -> own.execute(this::read));
                return;
            }
            NavigableMap<String, ChildData> now = server.below(path);
            now.values().forEach(this::found);
            for (String each : paths()) {
                if (!now.containsKey(each)) {
                    watcher.changed(known.remove(each).orElse(null), null);
                }
            }
            if (!initialized) {
                initialized = true;
                watcher.initialized();
            }
        }

        /** Tells of a node only if it is new or has another version, as Curator does. */
        private void found(ChildData node) {
            ChildData data = server.shown(node, process.name());
            ChildData old = known.put(data).orElse(null);
            if (old == null || old.getStat().getVersion() != data.getStat().getVersion()) {
                watcher.changed(old, data);
            }
        }

        @Override
        public Set<String> paths() {
            return known.stream().map(ChildData::getPath).collect(Collectors.toCollection(TreeSet::new));
        }

        @Override
        public void close() {
            ended = true;
            server.unwatch(changed);
        }
    }
}
