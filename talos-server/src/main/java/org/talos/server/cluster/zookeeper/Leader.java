// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.io.IOException;
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
import java.util.function.Supplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.metrics.ClusterMetrics;
import org.talos.server.runtime.Ticker;

/**
 * The leader's rounds: each compares the owners stored in ZooKeeper with the topics and live servers, and writes the
 * topics whose owners change, each by compare-and-set on the version it has read. So two servers that both believe that
 * they lead cannot overwrite each other, and a leader that dies half-way leaves consistent owners to the next.
 *
 * <p>Confined: the thread for calls that block.
 */
final class Leader {
    private static final Logger LOG = LoggerFactory.getLogger(Leader.class);
    /** Most served partitions that one round moves: a partition is not served while it is handed over. */
    static final int MOVES = 32;
    /** A topic that is missing from the metadata for this long is deleted; the notice of its deletion was lost. */
    private static final long GONE_NANOS = Duration.ofMinutes(5).toNanos();

    private final Nodes nodes;
    private final ClusterView view;
    private final ClusterSession session;
    private final String self;
    private final Options options;
    private final EventLog events;
    private final Traffic traffic;
    private final ClusterMetrics metrics;
    private final Ticker ticker;
    private final Consumer<String> written;
    private final Map<String, Long> awaySince = new HashMap<>();
    private final Map<String, Long> missingSince = new HashMap<>();
    private final Set<String> deleted = new HashSet<>(); // topics that the metadata in memory may still have
    private final Set<String> balanced = new HashSet<>(); // servers that have received their share
    private volatile long leadingSession; // session under which this server leads; 0: it does not
    private boolean balancing;

    /** @param written is called with the path of each node that this server has written */
    Leader(Dependencies shared, Options options, Consumer<String> written) {
        nodes = shared.nodes;
        view = shared.view;
        session = shared.session;
        self = shared.self;
        events = shared.events;
        traffic = shared.traffic;
        metrics = shared.metrics;
        this.options = options;
        ticker = options.ticker;
        this.written = written;
    }

    /** The parts of the coordinator that the leader uses. Immutable. */
    record Dependencies(
            Nodes nodes,
            ClusterView view,
            ClusterSession session,
            String self,
            EventLog events,
            Traffic traffic,
            ClusterMetrics metrics) {}

    /**
     * Settings of the leader. Immutable.
     *
     * @param delayRemoved how long the partitions of a server that is away wait for it
     * @param topics number of partitions of each topic, from the metadata
     * @param beforeWrite is called with each topic between the reading and the writing of its owners
     */
    record Options(
            Duration delayRemoved,
            Supplier<Map<String, Integer>> topics,
            Ticker ticker,
            Consumer<String> beforeWrite) {}

    boolean isLeading() {
        return leadingSession != 0 && leadingSession == session.id();
    }

    /** Becomes leader if there is none; if this server leads, runs one round of assignment. */
    void round() throws KeeperException, InterruptedException {
        if (session.isServing() && !session.isLive()) {
            return; // after a pause: the next heartbeat decides whether this server still leads
        }
        if (!session.isServing() || !lead()) {
            leadingSession = 0;
            return;
        }
        if (!isLeading()) {
            begin();
        }
        Set<String> eligible = eligible();
        recordAwayServers();
        Map<String, LeaderTask> tasks = tasks();
        deleteTopics(tasks);
        if (!eligible.isEmpty()) {
            assign(eligible, view.topics(), tasks);
        }
        finish(tasks);
        events.write();
    }

    /** Deletes the leader node, so that another server need not wait for the end of this session. */
    void resign() throws KeeperException, InterruptedException {
        ClusterView.LeaderSession leader = view.leader();
        if (leader != null && leader.session() == session.id()) {
            nodes.delete(nodes.leader(), -1);
        }
        leadingSession = 0;
    }

    private boolean lead() throws KeeperException, InterruptedException {
        ClusterView.LeaderSession leader = view.leader();
        long sessionId = session.id();
        if (leader != null && leader.session() != sessionId && leader.server().equals(self)) {
            // Written by an earlier process or session of this server.
            NodeData node = view.node(nodes.leader());
            nodes.delete(nodes.leader(), node == null ? -1 : node.stat().getVersion());
            leader = null;
        }
        if (leader != null) {
            return leader.session() == sessionId;
        }
        byte[] data = NodeFormat.encode(new LeaderNode(self));
        Stat stat = nodes.create(nodes.leader(), data, CreateMode.EPHEMERAL);
        if (stat == null || stat.getEphemeralOwner() != sessionId) {
            return false; // another server was faster: the watch brings its node
        }
        view.set(nodes.leader(), data, stat);
        return true;
    }

    private void begin() throws KeeperException, InterruptedException {
        leadingSession = session.id();
        awaySince.clear();
        missingSince.clear();
        deleted.clear();
        balanced.clear();
        Set<String> owners = owners();
        balanced.addAll(owners);
        balancing = !owners.containsAll(eligible());
        events.read();
        events.add(self + " leads");
        LOG.info(
                "leads the cluster server={} servers={} topics={}",
                self,
                view.servers().size(),
                view.topics().size());
    }

    private Set<String> eligible() {
        Set<String> eligible = new TreeSet<>(view.servers().keySet());
        eligible.removeIf(server -> !view.isServing(server));
        eligible.removeAll(view.drained());
        return eligible;
    }

    private Set<String> owners() {
        Set<String> owners = new TreeSet<>();
        view.topics().values().forEach(topic -> owners.addAll(topic.owners().owners()));
        owners.remove(TopicOwners.NOBODY);
        return owners;
    }

    /** Records which owners are away and since when, by this leader's clock: a new leader starts the delay again. */
    private void recordAwayServers() {
        Set<String> serving = new TreeSet<>(view.servers().keySet());
        serving.removeIf(server -> !view.isServing(server));
        for (String server : serving) {
            if (awaySince.remove(server) != null) {
                events.add(server + " is back");
            }
        }
        Set<String> owners = owners();
        awaySince.keySet().retainAll(owners);
        owners.removeAll(serving);
        for (String server : owners) {
            if (awaySince.putIfAbsent(server, ticker.nanos()) == null) {
                events.add(server + " is away");
                LOG.info("server away server={} waitsSeconds={}", server, options.delayRemoved.toSeconds());
            }
        }
    }

    private boolean isWithinDelay(String server) {
        Long since = awaySince.get(server);
        return since != null && ticker.nanos() - since < options.delayRemoved.toNanos();
    }

    private Map<String, LeaderTask> tasks() {
        Map<String, LeaderTask> tasks = new TreeMap<>();
        for (String name : view.names(NodeKind.TASK)) {
            String path = nodes.path(NodeKind.TASK, name);
            NodeData node = view.node(path);
            if (node != null) {
                try {
                    tasks.put(name, LeaderTask.decode(path, node));
                } catch (IOException e) {
                    LOG.error("cluster task cannot be read path={} error={}", path, e.getMessage());
                }
            }
        }
        return tasks;
    }

    private void deleteTopics(Map<String, LeaderTask> tasks) throws KeeperException, InterruptedException {
        Map<String, Integer> there = options.topics.get();
        Set<String> gone = new TreeSet<>();
        for (LeaderTask task : tasks.values()) {
            if (task.kind() == LeaderTask.Kind.TOPIC && task.number() == 0) {
                gone.add(task.topicId());
                deleted.add(task.topicId());
            }
        }
        deleted.removeIf(topic -> !there.containsKey(topic) && !gone.contains(topic));
        missingSince.keySet().removeIf(there::containsKey);
        for (String topic : there.isEmpty() ? Set.<String>of() : view.topics().keySet()) {
            if (!there.containsKey(topic)
                    && ticker.nanos() - missingSince.computeIfAbsent(topic, each -> ticker.nanos()) > GONE_NANOS) {
                gone.add(topic);
            }
        }
        for (String topic : gone) {
            delete(topic);
        }
    }

    private void delete(String topic) throws KeeperException, InterruptedException {
        ClusterView.VersionedOwners known = view.topic(topic);
        String path = nodes.path(NodeKind.TOPIC, topic);
        NodeData node = view.node(path);
        if (known != null && node != null && nodes.delete(path, known.version())) {
            view.remove(path, node.stat());
            written.accept(path);
        }
    }

    /** Owners of all partitions that should exist, {@link TopicOwners#NOBODY} where one has none yet. */
    private Map<String, List<String>> wanted(
            Map<String, ClusterView.VersionedOwners> read, Map<String, LeaderTask> tasks) {
        Map<String, Integer> partitions = new HashMap<>(options.topics.get());
        partitions.keySet().removeAll(deleted);
        for (LeaderTask task : tasks.values()) {
            if (task.kind() == LeaderTask.Kind.TOPIC && task.number() > 0 && !deleted.contains(task.topicId())) {
                partitions.merge(task.topicId(), task.number(), Math::max);
            }
        }
        // A node in a format that this version cannot read is not overwritten.
        partitions
                .keySet()
                .removeIf(topic -> !read.containsKey(topic) && view.node(nodes.path(NodeKind.TOPIC, topic)) != null);
        Map<String, List<String>> wanted = new HashMap<>();
        read.forEach((topic, known) ->
                wanted.put(topic, new ArrayList<>(known.owners().owners())));
        partitions.forEach((topic, number) -> {
            List<String> owners = wanted.computeIfAbsent(topic, each -> new ArrayList<>());
            while (owners.size() < number) {
                owners.add(TopicOwners.NOBODY);
            }
        });
        return wanted;
    }

    private void assign(
            Set<String> eligible, Map<String, ClusterView.VersionedOwners> read, Map<String, LeaderTask> tasks)
            throws KeeperException, InterruptedException {
        startBalancing(eligible, tasks);
        Map<String, List<String>> wanted = wanted(read, tasks);
        Assignment plan = new Assignment(eligible, wanted, traffic.weights());
        Set<String> drained = view.drained();
        int placed = plan.place(owner -> isKept(owner, drained), Integer.MAX_VALUE);
        int moved = plan.place(owner -> !drained.contains(owner), MOVES);
        for (LeaderTask task : tasks.values()) {
            if (task.kind() == LeaderTask.Kind.MOVE) {
                moved += move(plan, task, eligible, wanted);
            }
        }
        if (balancing) {
            int levelled = plan.level(MOVES);
            moved += levelled;
            balancing = levelled > 0;
        }
        int conflicts = 0;
        for (Map.Entry<String, List<String>> change : plan.changes().entrySet()) {
            conflicts += write(change.getKey(), read.get(change.getKey()), change.getValue()) ? 0 : 1;
        }
        metrics.assigned(placed, moved, conflicts);
        if (placed + moved > 0) {
            events.add(placed + " partitions placed, " + moved + " moved");
            LOG.info("partitions assigned placed={} moved={} conflicts={}", placed, moved, conflicts);
        }
    }

    /** Whether the server keeps its partitions in this round: it serves, or its delay has not passed. */
    private boolean isKept(String server, Set<String> drained) {
        return view.isServing(server) || (isWithinDelay(server) && !drained.contains(server));
    }

    private void startBalancing(Set<String> eligible, Map<String, LeaderTask> tasks)
            throws KeeperException, InterruptedException {
        balanced.removeIf(server -> !eligible.contains(server) && !awaySince.containsKey(server));
        boolean asked = tasks.values().stream().anyMatch(task -> task.kind() == LeaderTask.Kind.REBALANCE);
        if (balanced.addAll(eligible) || asked) {
            balancing = true;
        }
        if (balancing) {
            traffic.read(view.servers().keySet());
        }
    }

    private int move(Assignment plan, LeaderTask task, Set<String> eligible, Map<String, List<String>> wanted) {
        boolean exists =
                task.number() < wanted.getOrDefault(task.topicId(), List.of()).size();
        if (!exists || !eligible.contains(task.server())) {
            events.add("not moved: " + task.topicId() + "/" + task.number() + " to " + task.server());
            return 0;
        }
        plan.move(task.topicId(), task.number(), task.server());
        return 1;
    }

    /** @param known the version that the new owners were computed from: only that one may be overwritten */
    private boolean write(String topic, ClusterView.@Nullable VersionedOwners known, List<String> owners)
            throws KeeperException, InterruptedException {
        options.beforeWrite.accept(topic);
        String path = nodes.path(NodeKind.TOPIC, topic);
        long epoch = known == null ? 1 : known.owners().epoch() + 1;
        byte[] data = new TopicOwners(epoch, owners).encode();
        Stat stat = known == null
                ? nodes.create(path, data, CreateMode.PERSISTENT)
                : nodes.write(path, data, known.version());
        if (stat == null) {
            // Another leader has written, or this view is stale: the watch brings the current node.
            LOG.info("owners not written: the node has changed meanwhile topic={}", topic);
            return false;
        }
        view.set(path, data, stat);
        written.accept(path);
        return true;
    }

    /** Deletes the tasks that are done; a topic's task only once the topic has that many partitions. */
    private void finish(Map<String, LeaderTask> tasks) throws KeeperException, InterruptedException {
        for (Map.Entry<String, LeaderTask> entry : tasks.entrySet()) {
            LeaderTask task = entry.getValue();
            ClusterView.VersionedOwners topic = view.topic(task.topicId());
            int partitions = topic == null ? 0 : topic.owners().owners().size();
            boolean written = deleted.contains(task.topicId()) ? topic == null : partitions >= task.number();
            if (task.kind() != LeaderTask.Kind.TOPIC || written) {
                String path = nodes.path(NodeKind.TASK, entry.getKey());
                nodes.delete(path, task.version());
            }
        }
    }
}
