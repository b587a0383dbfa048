// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.cluster.assignment.Assignment;
import org.talos.server.cluster.assignment.ExistingTopics;
import org.talos.server.cluster.assignment.Handovers;
import org.talos.server.cluster.assignment.Move;
import org.talos.server.runtime.Ticker;

/**
 * One leadership: each round takes in what has changed in ZooKeeper since the last one, and writes the topics whose
 * owners change, each by compare-and-set on the version that the plan goes by. A leader that dies half-way leaves
 * consistent owners, and the tasks that are not done, to the next.
 *
 * <p>Confined: the thread for calls that block.
 */
final class Term {
    private static final Logger LOG = LoggerFactory.getLogger(Term.class);
    /**
     * Each server reads each topic's node that is written. This number of readings in this time is half of what an
     * ensemble of three can do: the rest is for heartbeats, without which servers stop answering.
     */
    private static final int READINGS = 25_000;

    private static final long READINGS_NANOS = Duration.ofMillis(500).toNanos();
    /** Moves within this time are reported as one. */
    private static final long REPORT_NANOS = Duration.ofSeconds(10).toNanos();

    private final Nodes nodes;
    private final ClusterView view;
    private final Leader.Dependencies shared;
    private final Leader.Options options;
    private final EventLog events;
    private final Ticker ticker;
    private final Consumer<String> written;
    private final Assignment plan = new Assignment();
    private final Map<String, ClusterView.VersionedOwners> planned = new HashMap<>(); // the nodes that the plan goes by
    private final ExistingTopics topics;
    private final Handovers handovers;
    private final LeaderTasks tasks;
    private final Map<String, Long> awaySince = new HashMap<>();
    private final Set<String> balanced = new HashSet<>(); // servers that have received their share
    private final Set<String> emptying = new HashSet<>(); // servers that are drained and own something still
    private final Set<String> reported = new HashSet<>(); // nodes that cannot be read
    private final Set<LeaderTask> done = new HashSet<>();
    private long seenVersion = -1; // of the view, before the last round
    private boolean allDrained;
    private boolean balancing;
    private boolean unplaced; // partitions wait for a later round
    private long writingSince;
    private int writtenSince; // topics
    private boolean weighed; // for this levelling
    private int placed; // since the last event about them
    private int moved;
    private long reportedAt;

    Term(Leader.Dependencies shared, Leader.Options options, Consumer<String> written, Runnable again) {
        this.shared = shared;
        this.options = options;
        this.written = written;
        nodes = shared.nodes();
        view = shared.view();
        events = shared.events();
        ticker = options.ticker();
        topics = new ExistingTopics(options.rows(), ticker, again, this::report);
        handovers = new Handovers(options.rows(), again, this::report);
        tasks = new LeaderTasks(nodes, view, ticker);
    }

    /** Reads what the last leader has left. */
    void begin() throws KeeperException, InterruptedException {
        view.takeChangedTopics();
        view.topics().forEach(this::learn);
        balanced.addAll(plan.owners());
        events.read();
        events.add(shared.self() + " leads");
        reportedAt = ticker.nanos() - REPORT_NANOS;
        writingSince = ticker.nanos() - READINGS_NANOS;
    }

    /** One round of assignment; at rest it costs nothing. */
    void round() throws KeeperException, InterruptedException {
        long version = view.version();
        if (version == seenVersion && isAtRest()) {
            return;
        }
        boolean ended = false;
        try {
            view.takeChangedTopics().forEach(topic -> learn(topic, view.topic(topic)));
            reportUnreadable();
            recordAwayServers();
            tasks.read();
            done.clear();
            assign();
            judgeTasks();
            reportMoves();
            events.write(); // first: an operator learns of each task that is gone
            tasks.delete(done::contains);
            ended = true;
        } finally {
            if (!ended) {
                plan.revert(); // what was written after all comes back through the view
            }
        }
        seenVersion = version;
    }

    private boolean isAtRest() {
        return tasks.isEmpty()
                && topics.isAtRest()
                && handovers.isIdle()
                && awaySince.isEmpty()
                && !balancing
                && !unplaced
                && placed + moved == 0;
    }

    private void learn(String topic, ClusterView.@Nullable VersionedOwners now) {
        if (now == null) {
            planned.remove(topic);
            plan.remove(topic);
        } else {
            planned.put(topic, now);
            plan.set(topic, now.owners().owners());
        }
    }

    private void report(String event) {
        LOG.warn("event recorded for operators event={}", event);
        events.add(event);
    }

    private void reportUnreadable() {
        Set<String> unreadable = view.unreadable();
        unreadable.addAll(tasks.unreadable());
        reported.retainAll(unreadable);
        unreadable.removeAll(reported);
        unreadable.forEach(path -> events.add("cannot be read and is left as it is: " + path));
        reported.addAll(unreadable);
    }

    private Set<String> eligible() {
        Set<String> eligible = new TreeSet<>(view.servers().keySet());
        eligible.removeIf(server -> !view.isServing(server));
        eligible.removeAll(view.drained());
        return eligible;
    }

    /** Records which owners are away and since when, by this leader's clock: a new leader starts the delay again. */
    private void recordAwayServers() {
        Set<String> owners = plan.owners();
        for (String server : List.copyOf(awaySince.keySet())) {
            if (!view.isAway(server)) {
                awaySince.remove(server);
                events.add(server + " is back");
            }
        }
        awaySince.keySet().retainAll(owners);
        for (String server : owners) {
            if (view.isAway(server) && awaySince.putIfAbsent(server, ticker.nanos()) == null) {
                events.add(server + " is away");
                LOG.info(
                        "server away server={} waitsSeconds={}",
                        server,
                        options.delayRemoved().toSeconds());
            }
        }
    }

    /**
     * Returns whether the server keeps its partitions in this round: it is not away, or its delay has not passed. By
     * what this round began with: one that registers again is gone for a moment.
     */
    private boolean isKept(String server, Set<String> drained) {
        Long since = awaySince.get(server);
        return since == null
                || (ticker.nanos() - since < options.delayRemoved().toNanos() && !drained.contains(server));
    }

    private void assign() throws KeeperException, InterruptedException {
        Set<String> drained = view.drained();
        Set<String> eligible = eligible();
        Map<String, Integer> wanted = topics.wanted(tasks.announced(), tasks.deleted(), assigned());
        for (String topic : tasks.deleted()) {
            delete(topic);
        }
        for (String topic : topics.gone()) {
            if (delete(topic)) {
                report("topic has no row any more, its partitions have no owner: " + topic);
            }
        }
        plan.servers(eligible);
        reportWhetherAllAreDrained(eligible);
        if (!eligible.isEmpty()) {
            int most = mayWrite();
            wanted.entrySet().stream().limit(most).forEach(topic -> plan.grow(topic.getKey(), topic.getValue()));
            moveFromNobody(eligible);
            unplaced = most == 0 || !plan.place(owner -> isKept(owner, drained), most);
            startBalancing(eligible);
            List<Move> ready = handovers.next(view::isThere);
            Set<Move> ordered = new HashSet<>(ready);
            ordered.removeIf(move -> !eligible.contains(move.to()) || !plan.move(move));
            write(ordered);
            if (handovers.mayBegin()) {
                choose(eligible, drained);
            }
            handovers.ask();
        }
        drained.forEach(this::reportDrained);
        emptying.retainAll(drained);
    }

    /** Returns how many topics may be written now: what is left waits for a later round. */
    private int mayWrite() {
        if (ticker.nanos() - writingSince >= READINGS_NANOS) {
            writingSince = ticker.nanos();
            writtenSince = 0;
        }
        return Math.max(0, READINGS / Math.max(1, view.servers().size()) - writtenSince);
    }

    /** A topic whose node cannot be read is assigned, by a version that this one does not know. */
    private ExistingTopics.Assigned assigned() {
        return new ExistingTopics.Assigned() {
            @Override
            public int partitions(String topicId) {
                boolean unreadable = !planned.containsKey(topicId) && view.node(path(topicId)) != null;
                return unreadable ? Integer.MAX_VALUE : plan.partitions(topicId);
            }

            @Override
            public Set<String> topics() {
                return planned.keySet();
            }
        };
    }

    private String path(String topic) {
        return nodes.path(NodeKind.TOPIC, topic);
    }

    /** Returns whether the topic's node was there and is deleted now. */
    private boolean delete(String topic) throws KeeperException, InterruptedException {
        ClusterView.VersionedOwners known = planned.get(topic);
        NodeData node = view.node(path(topic));
        if (known == null || node == null || !nodes.delete(path(topic), known.version())) {
            return false; // it cannot be read, or has changed: the watch brings the current node
        }
        view.remove(path(topic), node.stat());
        learn(topic, null);
        written.accept(path(topic));
        return true;
    }

    private void startBalancing(Set<String> eligible) throws KeeperException, InterruptedException {
        // One whose partitions wait for it needs no share; one that loses them in this round may be back before the
        // next.
        balanced.removeIf(
                server -> !eligible.contains(server) && (!awaySince.containsKey(server) || plan.count(server) == 0));
        boolean any = !plan.owners().isEmpty();
        for (String server : eligible) {
            if (!balanced.contains(server) && any && plan.count(server) == 0) {
                // As a task, which a next leader continues with.
                String path = nodes.path(NodeKind.TASK, "rebalance-for-" + server);
                byte[] data = LeaderTask.rebalance().encode();
                Stat stat = nodes.create(path, data, CreateMode.PERSISTENT);
                if (stat != null) {
                    view.set(path, data, stat);
                }
                balancing = true;
            }
            balanced.add(server); // now that its wish is there: one that could not be written is in the next round
        }
        balancing |= !tasks.of(LeaderTask.Kind.REBALANCE).isEmpty();
        if (balancing && !weighed) {
            // Once: levelling by figures that change under it might never end.
            shared.traffic().read(view.servers().keySet());
            plan.weigh(shared.traffic().weights());
            weighed = true;
        }
    }

    /** Fulfils wishes for partitions whose owner is missing: nobody has to release them. */
    private void moveFromNobody(Set<String> eligible) {
        for (LeaderTask task : tasks.of(LeaderTask.Kind.MOVE)) {
            Move move = LeaderTask.move(task, plan.owner(task.topicId(), task.number()));
            if (eligible.contains(move.to()) && !view.isThere(move.from())) {
                plan.move(move);
            }
        }
    }

    /** Chooses the next moves of partitions that are served. */
    private void choose(Set<String> eligible, Set<String> drained) {
        Assignment.Room room = handovers.room();
        List<Move> wave = new ArrayList<>();
        for (LeaderTask task : tasks.of(LeaderTask.Kind.MOVE)) {
            Move move = LeaderTask.move(task, plan.owner(task.topicId(), task.number()));
            boolean possible = !move.from().isEmpty() && !move.from().equals(move.to()) && eligible.contains(move.to());
            if (possible && room.take(move) && plan.move(move)) {
                wave.add(move);
            }
        }
        wave.addAll(plan.leave(drained, room));
        if (balancing) {
            wave.addAll(plan.level(room));
            balancing = !wave.isEmpty() || !handovers.isIdle();
            if (!balancing) {
                weighed = false;
                events.add("load is levelled");
                done.addAll(tasks.of(LeaderTask.Kind.REBALANCE));
            }
        }
        plan.undo(wave);
        handovers.choose(wave);
    }

    /** Writes what is planned; a topic whose node has changed meanwhile is planned again. */
    private void write(Set<Move> ordered) throws KeeperException, InterruptedException {
        Map<String, TopicOwners> changes = new TreeMap<>();
        List<Nodes.Write> writes = new ArrayList<>();
        for (Map.Entry<String, List<String>> change : plan.changes().entrySet()) {
            String topic = change.getKey();
            options.beforeWrite().accept(topic);
            ClusterView.VersionedOwners known = planned.get(topic);
            TopicOwners owners =
                    new TopicOwners(known == null ? 1 : known.owners().epoch() + 1, change.getValue());
            byte[] data = owners.encode();
            if (known == null) {
                onWritten(topic, owners, data, nodes.create(path(topic), data, CreateMode.PERSISTENT), ordered);
            } else {
                changes.put(topic, owners);
                writes.add(new Nodes.Write(path(topic), data, known.version()));
            }
        }
        nodes.write(writes, (write, stat) -> {
            String topic = ClusterView.name(write.path());
            TopicOwners owners = changes.get(topic);
            if (owners != null) {
                onWritten(topic, owners, write.data(), stat, ordered);
            }
        });
        plan.revert();
    }

    private void onWritten(String topic, TopicOwners owners, byte[] data, @Nullable Stat stat, Set<Move> ordered) {
        if (stat == null) {
            // Another leader has written, or this view is stale: the watch brings the current node.
            LOG.info("owners not written: the node has changed meanwhile topic={}", topic);
            shared.metrics().assigned(0, 0, 1);
            return;
        }
        int nowMoved = 0;
        List<Move> changes = plan.changes(topic);
        for (Move move : changes) {
            if (view.servers().containsKey(move.from())) {
                nowMoved++;
            }
            if (ordered.contains(move)) {
                handovers.onWritten(move);
            }
        }
        moved += nowMoved;
        placed += changes.size() - nowMoved;
        shared.metrics().assigned(changes.size() - nowMoved, nowMoved, 0);
        writtenSince++;
        plan.markStored(topic);
        planned.put(topic, new ClusterView.VersionedOwners(owners, stat.getVersion()));
        view.set(path(topic), data, stat);
        written.accept(path(topic));
    }

    private void reportMoves() {
        if (placed + moved > 0 && (handovers.isIdle() || ticker.nanos() - reportedAt >= REPORT_NANOS)) {
            events.add(placed + " partitions placed, " + moved + " moved");
            LOG.info("partitions assigned placed={} moved={} unreleased={}", placed, moved, handovers.open());
            placed = 0;
            moved = 0;
            reportedAt = ticker.nanos();
        }
    }

    private void reportDrained(String server) {
        if (plan.count(server) > 0) {
            emptying.add(server);
        } else if (emptying.remove(server)) {
            events.add(server + " is drained: it owns nothing any more");
        }
    }

    /** Drained servers keep what they have, as nobody else could take it; what is new has no server at all. */
    private void reportWhetherAllAreDrained(Set<String> eligible) {
        if (allDrained && !eligible.isEmpty()) {
            allDrained = false;
            events.add("partitions are placed again, on " + String.join(", ", eligible));
        } else if (!allDrained
                && eligible.isEmpty()
                && view.servers().keySet().stream().anyMatch(view::isServing)) {
            allDrained = true;
            report("all servers are drained: nothing is placed or moved until one is resumed or added");
        }
    }

    /** Finds the tasks that are done, or cannot be. */
    private void judgeTasks() throws KeeperException, InterruptedException {
        for (LeaderTask task : tasks.of(LeaderTask.Kind.TOPIC)) {
            int partitions = plan.partitions(task.topicId());
            if (task.number() == 0 ? view.node(path(task.topicId())) == null : partitions >= task.number()) {
                done.add(task);
            } else if (topics.isRefuted(task.topicId())) {
                end(task, "not assigned, it was deleted meanwhile: topic " + task.topicId());
            }
        }
        for (LeaderTask task : tasks.of(LeaderTask.Kind.MOVE)) {
            String outcome = outcomeOfMove(task);
            if (!outcome.isEmpty() && isCurrent(task)) {
                end(task, outcome);
            }
        }
    }

    /**
     * Returns whether the plan goes by the topic's node as it was when the task was made, or later. After an
     * interruption all nodes are read again, and the task may be read before the topic.
     */
    private boolean isCurrent(LeaderTask task) throws KeeperException, InterruptedException {
        ClusterView.VersionedOwners known = planned.get(task.topicId());
        NodeData now = nodes.read(path(task.topicId()));
        return now == null || (known != null && known.version() == now.stat().getVersion());
    }

    /** Returns the outcome of a move; empty while it is not done. */
    private String outcomeOfMove(LeaderTask task) {
        String what = task.topicId() + "/" + task.number() + " to " + task.server();
        if (plan.owner(task.topicId(), task.number()).equals(task.server())) {
            return "moved: " + what;
        }
        if (plan.partitions(task.topicId()) <= task.number()) {
            return "not moved: " + what + ": there is no such partition";
        }
        if (view.drained().contains(task.server())) {
            return "not moved: " + what + ", which is drained";
        }
        boolean patient = tasks.ageNanos(task) < options.delayRemoved().toNanos();
        return patient || view.isServing(task.server()) ? "" : "not moved: " + what + ", which does not serve";
    }

    private void end(LeaderTask task, String outcome) {
        done.add(task);
        events.add(outcome);
    }
}
