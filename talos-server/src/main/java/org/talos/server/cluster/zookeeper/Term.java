// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

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
import org.talos.server.cluster.assignment.AwayServers;
import org.talos.server.cluster.assignment.DrainedServers;
import org.talos.server.cluster.assignment.ExistingTopics;
import org.talos.server.cluster.assignment.Handovers;
import org.talos.server.cluster.assignment.Levelling;
import org.talos.server.cluster.assignment.Move;
import org.talos.server.cluster.assignment.PlacementReport;
import org.talos.server.cluster.assignment.WriteAllowance;
import org.talos.server.runtime.time.Ticker;

/**
 * One leadership. Each round reads the changes in ZooKeeper since the last round, and writes the topics whose owners
 * change, each by compare-and-set on the version that the plan is based on. A leader that dies halfway leaves
 * consistent owners, and leaves the open tasks to the next leader.
 *
 * <p>Confined: the thread for calls that block.
 */
final class Term {
    private static final Logger LOG = LoggerFactory.getLogger(Term.class);

    private final Nodes nodes;
    private final ClusterView view;
    private final Leader.Dependencies shared;
    private final Leader.Options options;
    private final EventLog events;
    private final Consumer<String> written;
    private final Assignment plan = new Assignment();
    private final Map<String, ClusterView.VersionedOwners> planned = new HashMap<>(); // the nodes that the plan goes by
    private final ExistingTopics topics;
    private final Handovers handovers;
    private final LeaderTasks tasks;
    private final AwayServers away;
    private final DrainedServers drains;
    private final Levelling levelling = new Levelling();
    private final PlacementReport placements;
    private final WriteAllowance writes;
    private final Set<String> reported = new HashSet<>(); // nodes that cannot be read
    private long seenVersion = -1; // of the view, before the last round
    private boolean unplaced; // partitions wait for a later round

    Term(Leader.Dependencies shared, Leader.Options options, Consumer<String> written, Runnable again) {
        this.shared = shared;
        this.options = options;
        this.written = written;
        nodes = shared.nodes();
        view = shared.view();
        events = shared.events();
        Ticker ticker = options.ticker();
        topics = new ExistingTopics(options.rows(), ticker, again, this::report);
        handovers = new Handovers(options.rows(), again, this::report);
        tasks = new LeaderTasks(nodes, view, ticker);
        away = new AwayServers(options.delayRemoved(), ticker, events::add);
        drains = new DrainedServers(events::add, this::report);
        placements = new PlacementReport(ticker, events::add);
        writes = new WriteAllowance(ticker);
    }

    /** Reads the state that the last leader has left. */
    void begin() throws KeeperException, InterruptedException {
        view.takeChangedTopics();
        view.topics().forEach(this::learn);
        levelling.addBalanced(plan.owners());
        events.read();
        events.add(shared.self() + " leads");
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
            away.record(plan.owners(), view::isAway);
            tasks.read();
            assign();
            judgeTasks();
            placements.reportIfDue(handovers.open(), handovers.isIdle());
            events.write(); // first: an operator learns of each task that is gone
            tasks.deleteEnded();
            ended = true;
        } finally {
            if (!ended) {
                plan.revert(); // nodes that were written nevertheless come back through the view
            }
        }
        seenVersion = version;
    }

    private boolean isAtRest() {
        return tasks.isEmpty()
                && topics.isAtRest()
                && handovers.isIdle()
                && away.isEmpty()
                && !levelling.isUnderWay()
                && !unplaced
                && placements.isEmpty();
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
        boolean serving = view.servers().keySet().stream().anyMatch(view::isServing);
        drains.reportWhetherAll(eligible, serving);
        if (!eligible.isEmpty()) {
            int most = writes.left(view.servers().size());
            wanted.entrySet().stream().limit(most).forEach(topic -> plan.grow(topic.getKey(), topic.getValue()));
            moveFromNobody(eligible);
            unplaced = most == 0 || !plan.place(owner -> away.isKept(owner, drained), most);
            startLevelling(eligible);
            List<Move> ready = handovers.next(view::isThere);
            Set<Move> ordered = new HashSet<>(ready);
            ordered.removeIf(move -> !eligible.contains(move.to()) || !plan.move(move));
            write(ordered);
            if (handovers.mayBegin()) {
                choose(eligible, drained);
            }
            handovers.ask();
        }
        drains.reportEmpty(drained, plan::count);
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

    private void startLevelling(Set<String> eligible) throws KeeperException, InterruptedException {
        // One whose partitions wait for it needs no share; one that loses them in this round may be back before the
        // next.
        levelling.retainBalanced(
                server -> eligible.contains(server) || (away.contains(server) && plan.count(server) > 0));
        boolean any = !plan.owners().isEmpty();
        for (String server : eligible) {
            if (levelling.isNew(server) && any && plan.count(server) == 0) {
                askForLevelling(server);
                levelling.want();
            }
            levelling.addBalanced(Set.of(server)); // now that its wish is there: one not written is in the next round
        }
        if (!tasks.of(LeaderTask.Kind.REBALANCE).isEmpty()) {
            levelling.want();
        }
        if (levelling.needsWeights()) {
            shared.traffic().read(view.servers().keySet());
            plan.weigh(shared.traffic().weights());
            levelling.onWeighed();
        }
    }

    /** Writes the wish of a new server as a task, which a next leader continues with. */
    private void askForLevelling(String server) throws KeeperException, InterruptedException {
        String path = nodes.path(NodeKind.TASK, "rebalance-for-" + server);
        byte[] data = LeaderTask.rebalance().encode();
        Stat stat = nodes.create(path, data, CreateMode.PERSISTENT);
        if (stat != null) {
            view.set(path, data, stat);
        }
    }

    /** Fulfills requests for partitions without an owner: no server has to release them. */
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
        if (levelling.isUnderWay()) {
            wave.addAll(plan.level(room));
            if (wave.isEmpty() && handovers.isIdle()) {
                levelling.finish();
                events.add("load is levelled");
                tasks.of(LeaderTask.Kind.REBALANCE).forEach(tasks::end);
            }
        }
        plan.undo(wave);
        handovers.choose(wave);
    }

    /** Writes the plan; a topic whose node has changed since is planned again. */
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
        placements.count(changes.size() - nowMoved, nowMoved);
        shared.metrics().assigned(changes.size() - nowMoved, nowMoved, 0);
        writes.onWritten();
        plan.markStored(topic);
        planned.put(topic, new ClusterView.VersionedOwners(owners, stat.getVersion()));
        view.set(path(topic), data, stat);
        written.accept(path(topic));
    }

    /** Finds the tasks that are done, or cannot be. */
    private void judgeTasks() throws KeeperException, InterruptedException {
        for (LeaderTask task : tasks.of(LeaderTask.Kind.TOPIC)) {
            int partitions = plan.partitions(task.topicId());
            if (task.number() == 0 ? view.node(path(task.topicId())) == null : partitions >= task.number()) {
                tasks.end(task);
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
        tasks.end(task);
        events.add(outcome);
    }
}
