// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.talos.server.cluster.zookeeper.SimulatedCoordinator;
import org.talos.server.cluster.zookeeper.SimulatedZooKeeper;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.Row;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.partition.PartitionRecord;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.metadata.rows.topic.Topics;
import org.talos.server.storage.LogId;

/**
 * Watches each change of nodes and rows, and says when one breaks a promise: who hands a partition over alive is not
 * fenced, a topic that there is keeps its owners, and a move that was asked for is done.
 *
 * <p>Confined: the simulation's thread.
 */
final class Promises {
    /** The promise that a topic is assigned as a whole while it exists. */
    static final String OWNED = "a topic keeps its owners";
    /** The promise that a server that lives has its time to hand a partition over. */
    static final String ALIVE = "nobody is fenced who hands over alive";

    private static final long SECOND = 1_000_000_000L;
    private static final String CLUSTER = SimulatedCoordinator.ROOT + "/cluster";
    private static final String SERVERS = CLUSTER + "/servers/";
    private static final String TOPICS = CLUSTER + "/topics/";
    private static final String TASKS = CLUSTER + "/tasks/";
    private static final String DRAINS = CLUSTER + "/drains/";
    static final int MOST_PARTITIONS = 8; // of a topic
    /** Time for which a server may not know of a change. */
    private static final long NEWS_NANOS = 5 * SECOND;

    private final World world;
    private final Partitions rows;
    private final Topics topics;
    private final Map<String, Long> registered = new HashMap<>(); // since when, by server
    private final Map<String, String> processes = new HashMap<>(); // that are registered, by server
    private final Map<String, Long> drained = new HashMap<>(); // or allowed again
    private final Map<LogId, String> owners = new HashMap<>(); // in rows: processes
    private final Map<LogId, Map<String, Long>> lost = new HashMap<>(); // since when a server is not to have it
    private final Map<String, Asked> moves = new HashMap<>();
    private final Set<String> gone = new HashSet<>(); // topics whose deletion was asked for

    Promises(World world) {
        this.world = world;
        rows = new Partitions(world.rows().whole());
        topics = new Topics(world.rows().whole());
        world.zooKeeper().onChange(this::nodeChanged);
        world.rows().onChange(this::rowChanged);
    }

    /** A move that was asked for. Confined: the simulation's thread. */
    private static final class Asked {
        private final SimulatedZooKeeper.Move move;
        private final long sinceNanos;
        private boolean done;

        Asked(SimulatedZooKeeper.Move move, long sinceNanos) {
            this.move = move;
            this.sinceNanos = sinceNanos;
        }
    }

    /** An operator has asked for the deletion of a topic. */
    void deletes(String topicId) {
        gone.add(topicId);
    }

    private long now() {
        return world.scheduler().nanos();
    }

    private void nodeChanged(String path, byte @Nullable [] before, byte @Nullable [] data) {
        if (path.startsWith(SERVERS)) {
            serverChanged(path, data);
        } else if (path.startsWith(DRAINS)) {
            drained.put(path.substring(DRAINS.length()), now());
        } else if (path.startsWith(TOPICS)) {
            topicChanged(path, before, data);
        } else if (path.startsWith(TASKS)) {
            taskChanged(path, data);
        }
    }

    private void serverChanged(String path, byte @Nullable [] data) {
        String server = path.substring(SERVERS.length());
        if (data == null) {
            registered.remove(server);
            processes.remove(server);
        } else {
            registered.putIfAbsent(server, now());
            processes.put(server, SimulatedZooKeeper.process(path, data));
        }
    }

    private void topicChanged(String path, byte @Nullable [] before, byte @Nullable [] data) {
        String topicId = path.substring(TOPICS.length());
        for (int partition = 0; partition < MOST_PARTITIONS; partition++) {
            String from = before == null ? "" : SimulatedZooKeeper.owner(path, before, partition);
            String to = data == null ? "" : SimulatedZooKeeper.owner(path, data, partition);
            if (!from.equals(to)) {
                ownerChanged(new LogId(topicId, partition), from, to);
            }
        }
        for (Asked asked : moves.values()) {
            checkDone(asked);
        }
    }

    private void ownerChanged(LogId id, String from, String to) {
        world.scheduler().note("ASSIGNED " + name(id) + " from=" + from + " to=" + to);
        lost.computeIfAbsent(id, each -> new HashMap<>()).put(from, now());
        lost.get(id).remove(to);
        if (to.isEmpty() && !gone.contains(id.topicId()) && !Faults.isPassedOver(Faults.STALE_TOPICS)) {
            world.scheduler().violated(OWNED, name(id) + " is assigned to nobody any more");
        }
    }

    private void checkDone(Asked asked) {
        String path = TOPICS + asked.move.topicId();
        asked.done |= world.zooKeeper().owner(path, asked.move.partition()).equals(asked.move.server());
    }

    private void taskChanged(String path, byte @Nullable [] data) {
        if (data != null) {
            SimulatedZooKeeper.move(path, data).ifPresent(move -> {
                Asked asked = new Asked(move, now());
                moves.put(path, asked);
                checkDone(asked);
            });
            return;
        }
        Asked asked = moves.remove(path);
        if (asked == null || asked.done || Faults.isPassedOver(Faults.MOVES) || gone.contains(asked.move.topicId())) {
            return;
        }
        if (mayTake(asked.move.server(), asked.sinceNanos - NEWS_NANOS)) {
            world.scheduler().violated("a move that was asked for is done", asked.move.toString());
        }
    }

    /**
     * Returns whether nothing has kept a server from taking a partition since then. Moves to other servers may be
     * abandoned.
     */
    private boolean mayTake(String server, long sinceNanos) {
        return world.server(server).filter(SimulatedServer::isUp).isPresent()
                && isRegistered(server)
                && !world.zooKeeper().wasHidden(server, sinceNanos)
                && world.zooKeeper().peek(DRAINS + server).isEmpty()
                && drained.getOrDefault(server, 0L) < sinceNanos;
    }

    private boolean isRegistered(String server) {
        Long since = registered.get(server);
        return since != null && now() - since > NEWS_NANOS;
    }

    private void rowChanged(RowKey key, Optional<Row> before, Optional<Row> value) {
        if (!key.startsWith(RowKey.table('p'))) {
            return;
        }
        LogId id = new LogId(key.text(0), key.number(1));
        String owner = owner(id);
        String earlier = owners.getOrDefault(id, "");
        owners.put(id, owner);
        if (!owner.equals(earlier)) {
            world.scheduler().note("OWNED " + name(id) + " from=" + earlier + " to=" + owner);
            if (!owner.isEmpty() && !earlier.isEmpty()) {
                checkTaken(id, earlier, owner);
            }
        }
    }

    private static String name(LogId id) {
        return id.topicId().substring(28) + "/" + id.partition();
    }

    /** The process that the row names; empty for none. */
    String owner(LogId id) {
        try {
            return rows.find(id.topicId(), id.partition())
                    .map(Versioned::value)
                    .map(PartitionRecord::owner)
                    .orElse("");
        } catch (MetadataException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String server(String owner) {
        return owner.substring(0, owner.indexOf('#'));
    }

    private void checkTaken(LogId id, String earlier, String owner) {
        String giver = server(earlier);
        String taker = server(owner);
        if (giver.equals(taker)
                || !lives(earlier)
                || !isRegistered(giver)
                || !earlier.equals(processes.get(giver)) // another process has taken its node over
                || gone.contains(id.topicId())
                || Faults.isPassedOver(Faults.HANDOVER)) {
            return;
        }
        Long since = lost.getOrDefault(id, Map.of()).get(giver);
        long waited = since == null ? 0 : now() - since;
        if (waited < SimulatedServer.DELAY_REMOVED.toNanos() - SECOND && !couldNotKnow(taker)) {
            world.scheduler()
                    .violated(
                            ALIVE,
                            taker + " takes " + name(id) + " from " + giver + ", which lost it " + waited / 1_000_000
                                    + " ms ago");
        }
    }

    private boolean couldNotKnow(String server) {
        return now() - world.faults().lastFrozen(server) < 2 * SECOND
                || world.server(server).filter(each -> each.link.isCut()).isPresent();
    }

    /** Files of HDFS, nodes and rows that a topic has left. */
    List<String> left(String topicId, List<LogId> ids, String root) {
        List<String> left = new ArrayList<>();
        for (LogId id : Faults.isPassedOver(Faults.LEFT_ROWS) ? List.<LogId>of() : ids) {
            left.addAll(world.hdfs().files(root + "/segments/" + topicId + "/" + id.partition()));
            if (hasRow(id)) {
                left.add("row of " + name(id));
            }
        }
        if (world.zooKeeper().peek(TOPICS + topicId).isPresent()) {
            left.add("owners of " + topicId);
        }
        return left;
    }

    /**
     * Returns whether there is more than what a server leaves that ends between its taking a row and its look at the
     * topic.
     */
    private boolean hasRow(LogId id) {
        try {
            return rows.find(id.topicId(), id.partition())
                    .map(Versioned::value)
                    .filter(row -> !row.segments().isEmpty() || (!row.owner().isEmpty() && lives(row.owner())))
                    .isPresent();
        } catch (MetadataException e) {
            throw new IllegalStateException(e);
        }
    }

    private boolean lives(String owner) {
        return world.server(server(owner))
                .filter(each -> each.owner.equals(owner) && !each.process.isEnded())
                .isPresent();
    }

    /** Number of a topic's partitions by its row; empty if it has none. */
    OptionalInt partitions(TopicRecord topic) {
        try {
            return topics.find(topic.name()).map(Versioned::value).stream()
                    .filter(found -> found.topicId().equals(topic.topicId()))
                    .mapToInt(TopicRecord::partitions)
                    .findFirst();
        } catch (MetadataException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The server that is to have a partition; empty for none. */
    String assigned(LogId id) {
        return world.zooKeeper().owner(TOPICS + id.topicId(), id.partition());
    }
}
