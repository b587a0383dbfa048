// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;

/**
 * Servers that share partitions through a ZooKeeper in memory, on virtual time, and what can happen to them.
 *
 * <p>Confined: the simulation's thread.
 */
final class ScaleCluster {
    static final Duration DELAY_REMOVED = Duration.ofSeconds(60);

    private static final Duration LOOK = Duration.ofMillis(100);
    private static final Duration START = Duration.ofSeconds(10); // of a process, until it joins
    private static final Duration ELECTION = Duration.ofSeconds(3); // of ZooKeeper's leader

    final VirtualTime time = new VirtualTime();
    final ScaleZooKeeper zooKeeper = new ScaleZooKeeper(time);
    final ScaleRows rows;
    long failedSteps;
    private final Map<String, ScaleServer> servers = new TreeMap<>();
    private final Map<Integer, ScaleServer> registered = new HashMap<>(); // processes whose session has not ended
    private final Map<String, Long> silentSince = new HashMap<>();
    private int processes;
    private long processorNanos; // of leaders that have ended
    private long silentMost;

    ScaleCluster(int topics, int perTopic) {
        rows = new ScaleRows(time, topics, perTopic);
    }

    /** Cost of an event. Immutable. */
    record Figures(
            double seconds,
            Map<ScaleZooKeeper.Call, Long> calls,
            double megabytes,
            RowCost rows,
            double leaderSeconds,
            Away away,
            double silentMost) {
        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%.1f s, ZooKeeper %s %.0f MB, HBase %d calls %.0f MB, leader's processor %.2f s,"
                            + " a partition away %.2f s, at most %.2f s, a server silent at most %.2f s",
                    seconds,
                    calls,
                    megabytes,
                    rows.calls,
                    rows.megabytes,
                    leaderSeconds,
                    away.median,
                    away.most,
                    silentMost);
        }

        long calls(ScaleZooKeeper.Call call) {
            return calls.getOrDefault(call, 0L);
        }
    }

    /** Calls of HBase, and their bytes. Immutable. */
    record RowCost(long calls, double megabytes) {}

    /** Seconds for which partitions were away. Immutable. */
    record Away(double median, double most) {}

    /** Has something happen, and waits until the condition holds. */
    Figures measure(Runnable what, BooleanSupplier done, Duration within) {
        rows.awayNanos();
        Map<ScaleZooKeeper.Call, Long> before = new EnumMap<>(ScaleZooKeeper.Call.class);
        before.putAll(zooKeeper.calls);
        long bytes = zooKeeper.bytes;
        long rowCalls = rows.calls;
        long rowBytes = rows.bytes;
        long leader = leaderNanos();
        long begin = time.nanos();
        silentMost = 0;
        what.run();
        boolean ended = time.run(() -> look() && done.getAsBoolean(), LOOK, within);
        if (!ended) {
            throw new AssertionError("not done in " + within + ": " + rows.away() + " partitions away");
        }
        Map<ScaleZooKeeper.Call, Long> calls = new EnumMap<>(ScaleZooKeeper.Call.class);
        zooKeeper.calls.forEach((call, number) -> calls.put(call, number - before.getOrDefault(call, 0L)));
        long[] away = rows.awayNanos();
        return new Figures(
                seconds(time.nanos() - begin),
                calls,
                (zooKeeper.bytes - bytes) / 1e6,
                new RowCost(rows.calls - rowCalls, (rows.bytes - rowBytes) / 1e6),
                seconds(leaderNanos() - leader),
                new Away(seconds(away[away.length / 2]), seconds(away[away.length - 1])),
                seconds(silentMost));
    }

    private static double seconds(long nanos) {
        return (double) nanos / TimeUnit.SECONDS.toNanos(1);
    }

    private long leaderNanos() {
        return processorNanos
                + servers.values().stream()
                        .mapToLong(each -> each.processorNanos)
                        .sum();
    }

    /** Records for how long each server that runs has not been able to answer. */
    private boolean look() {
        for (ScaleServer server : servers.values()) {
            if (server.answers() || server.isEnded()) {
                silentSince.remove(server.id);
            } else {
                long since = silentSince.computeIfAbsent(server.id, each -> time.nanos());
                silentMost = Math.max(silentMost, time.nanos() - since);
            }
        }
        return true;
    }

    boolean allServe() {
        return rows.away() == 0 && allAreMembers();
    }

    boolean allAreMembers() {
        return servers.values().stream().allMatch(each -> each.isSettled() && each.answers());
    }

    /** Returns whether the leader has nothing left to do. */
    boolean isCalm() {
        return oneLeads() && zooKeeper.below("/talos/cluster/tasks").isEmpty();
    }

    boolean isAlive(int process) {
        return registered.containsKey(process);
    }

    ScaleServer server(int number) {
        return servers.getOrDefault(id(number), servers.values().iterator().next());
    }

    private static String id(int number) {
        return String.format(Locale.ROOT, "talos-%03d:9080", number);
    }

    void start(int number) {
        ScaleServer before = servers.get(id(number));
        processorNanos += before == null ? 0 : before.processorNanos;
        ScaleServer started = new ScaleServer(this, id(number), ++processes);
        servers.put(started.id, started);
        registered.put(started.process, started);
        started.start();
    }

    /** Restarts one server after another, each when all serve again; then runs what comes next. */
    void restartAll(int from, int to, Runnable then) {
        if (from == to) {
            then.run();
            return;
        }
        ScaleServer server = server(from);
        server.stop(() -> {
            registered.remove(server.process);
            time.after(START.toNanos(), () -> {
                start(from);
                awaitAll(() -> restartAll(from + 1, to, then));
            });
        });
    }

    private void awaitAll(Runnable then) {
        if (allServe()) {
            then.run();
        } else {
            time.after(LOOK.toNanos(), () -> awaitAll(then));
        }
    }

    /** Ends servers at once and for good. */
    void lose(int from, int to) {
        for (int number = from; number < to; number++) {
            ScaleServer lost = server(number);
            lost.kill();
            processorNanos += lost.processorNanos;
            servers.remove(lost.id);
            time.after(ScaleServer.SESSION.toNanos(), () -> {
                lost.expire();
                registered.remove(lost.process);
            });
        }
    }

    /** ZooKeeper elects another leader: no connection meanwhile, and then all come back within a second. */
    void failover() {
        List<ScaleServer> all = new ArrayList<>(servers.values());
        all.forEach(each -> each.connect(ConnectionState.SUSPENDED));
        long apart = TimeUnit.SECONDS.toNanos(1) / all.size();
        for (int number = 0; number < all.size(); number++) {
            ScaleServer server = all.get(number);
            time.after(ELECTION.toNanos() + number * apart, () -> server.connect(ConnectionState.RECONNECTED));
        }
    }

    /** An operator drains a server. */
    void drain(int number) {
        Nodes nodes = operator();
        try {
            nodes.create(nodes.path(NodeKind.DRAIN, id(number)), new byte[0], CreateMode.PERSISTENT);
        } catch (KeeperException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Nodes operator() {
        return new Nodes(zooKeeper.calls(zooKeeper.newSession(), () -> true), "/talos");
    }

    /** Returns the number of partitions of each server, as the first server knows it. */
    Map<String, Integer> owned() {
        Map<String, Integer> owned = new TreeMap<>();
        servers.values()
                .iterator()
                .next()
                .view()
                .topics()
                .values()
                .forEach(topic -> topic.owners().owners().forEach(owner -> owned.merge(owner, 1, Integer::sum)));
        return owned;
    }

    int owned(int number) {
        return owned().getOrDefault(id(number), 0);
    }

    /** Returns whether exactly one server leads. */
    boolean oneLeads() {
        return servers.values().stream().filter(ScaleServer::isLeading).count() == 1;
    }
}
