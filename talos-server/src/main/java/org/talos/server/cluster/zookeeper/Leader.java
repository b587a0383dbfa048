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
 * What the leader does: round by round it compares the owners that are written with the topics and servers there are,
 * and writes what is to change, each topic only if it still is what was read. So two servers that both believe that
 * they lead undo nothing of each other, and one that dies in the middle leaves a whole assignment to the next.
 *
 * <p>Confined: the thread for calls that block.
 */
final class Leader {
    private static final Logger LOG = LoggerFactory.getLogger(Leader.class);
    /** Moves of partitions that are served, in a round: each is not served while it is handed over. */
    static final int MOVES = 32;
    /** A topic that the metadata has not for so long is gone; its deletion may have told nobody. */
    private static final long GONE_NANOS = Duration.ofMinutes(5).toNanos();

    private final Nodes nodes;
    private final ClusterView view;
    private final Membership membership;
    private final String self;
    private final Options options;
    private final Events events;
    private final Traffic traffic;
    private final ClusterMetrics metrics;
    private final Ticker ticker;
    private final Consumer<String> written;
    private final Map<String, Long> awaySince = new HashMap<>();
    private final Map<String, Long> missingSince = new HashMap<>();
    private final Set<String> deleted = new HashSet<>(); // that the metadata in memory may still have
    private final Set<String> balanced = new HashSet<>(); // servers that have had their share
    private volatile long term; // session under which this server leads; 0: it does not
    private boolean balancing;

    /** @param written gets the path of each node that this server has written */
    Leader(Parts parts, Options options, Consumer<String> written) {
        nodes = parts.nodes;
        view = parts.view;
        membership = parts.membership;
        self = parts.self;
        events = parts.events;
        traffic = parts.traffic;
        metrics = parts.metrics;
        this.options = options;
        ticker = options.ticker;
        this.written = written;
    }

    /** What the leader shares with the rest of the coordinator. Immutable. */
    record Parts(
            Nodes nodes,
            ClusterView view,
            Membership membership,
            String self,
            Events events,
            Traffic traffic,
            ClusterMetrics metrics) {}

    /**
     * Immutable.
     *
     * @param topics partitions of each topic, as the metadata has them
     * @param beforeWrite gets each topic between the reading and the writing of its owners
     */
    record Options(
            Duration delayRemoved,
            Supplier<Map<String, Integer>> topics,
            Ticker ticker,
            Consumer<String> beforeWrite) {}

    boolean isLeading() {
        return term != 0 && term == membership.session();
    }

    /** Takes the lead if nobody has it, and does what is to be done if this server has it. */
    void round() throws KeeperException, InterruptedException {
        if (membership.isServing() && !membership.isBelieved()) {
            return; // a pause, most likely: whether this server still leads is known soon
        }
        if (!membership.isServing() || !lead()) {
            term = 0;
            return;
        }
        if (!isLeading()) {
            begin();
        }
        Set<String> eligible = eligible();
        noteServers();
        Map<String, Task> tasks = tasks();
        deleteTopics(tasks);
        if (!eligible.isEmpty()) {
            assign(eligible, view.topics(), tasks);
        }
        finish(tasks);
        events.write();
    }

    /** Gives the lead up, so that nobody waits for the end of this session. */
    void resign() throws KeeperException, InterruptedException {
        ClusterView.Leader leader = view.leader();
        if (leader != null && leader.session() == membership.session()) {
            nodes.delete(nodes.leader(), -1);
        }
        term = 0;
    }

    private boolean lead() throws KeeperException, InterruptedException {
        ClusterView.Leader leader = view.leader();
        long session = membership.session();
        if (leader != null && leader.session() != session && leader.server().equals(self)) {
            // Of the process before this one, or of the session before this one.
            NodeData node = view.node(nodes.leader());
            nodes.delete(nodes.leader(), node == null ? -1 : node.stat().getVersion());
            leader = null;
        }
        if (leader != null) {
            return leader.session() == session;
        }
        byte[] data = NodeFormat.encode(new LeaderNode(self));
        Stat stat = nodes.create(nodes.leader(), data, CreateMode.EPHEMERAL);
        if (stat == null || stat.getEphemeralOwner() != session) {
            return false; // the watch tells who was faster
        }
        view.set(nodes.leader(), data, stat);
        return true;
    }

    private void begin() throws KeeperException, InterruptedException {
        term = membership.session();
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

    /** Who is away, and since when, by this leader's clock: what another one has counted is begun anew. */
    private void noteServers() {
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

    private boolean isAwaited(String server) {
        Long since = awaySince.get(server);
        return since != null && ticker.nanos() - since < options.delayRemoved.toNanos();
    }

    private Map<String, Task> tasks() {
        Map<String, Task> tasks = new TreeMap<>();
        for (String name : view.names(NodeKind.TASK)) {
            String path = nodes.path(NodeKind.TASK, name);
            NodeData node = view.node(path);
            if (node != null) {
                try {
                    tasks.put(name, Task.decode(path, node));
                } catch (IOException e) {
                    LOG.error("task of the cluster not understood path={} error={}", path, e.getMessage());
                }
            }
        }
        return tasks;
    }

    private void deleteTopics(Map<String, Task> tasks) throws KeeperException, InterruptedException {
        Map<String, Integer> there = options.topics.get();
        Set<String> gone = new TreeSet<>();
        for (Task task : tasks.values()) {
            if (task.kind() == Task.Kind.TOPIC && task.number() == 0) {
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
        ClusterView.Topic known = view.topic(topic);
        String path = nodes.path(NodeKind.TOPIC, topic);
        NodeData node = view.node(path);
        if (known != null && node != null && nodes.delete(path, known.version())) {
            view.remove(path, node.stat());
            written.accept(path);
        }
    }

    /** Owners of each partition there is to be; nobody's are empty. */
    private Map<String, List<String>> wanted(Map<String, ClusterView.Topic> read, Map<String, Task> tasks) {
        Map<String, Integer> partitions = new HashMap<>(options.topics.get());
        partitions.keySet().removeAll(deleted);
        for (Task task : tasks.values()) {
            if (task.kind() == Task.Kind.TOPIC && task.number() > 0 && !deleted.contains(task.topicId())) {
                partitions.merge(task.topicId(), task.number(), Math::max);
            }
        }
        // What stands there in a form that is not understood is not ours to write.
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

    private void assign(Set<String> eligible, Map<String, ClusterView.Topic> read, Map<String, Task> tasks)
            throws KeeperException, InterruptedException {
        noteBalance(eligible, tasks);
        Map<String, List<String>> wanted = wanted(read, tasks);
        Assignment plan = new Assignment(eligible, wanted, traffic.weights());
        Set<String> drained = view.drained();
        int placed = plan.place(owner -> isKept(owner, drained), Integer.MAX_VALUE);
        int moved = plan.place(owner -> !drained.contains(owner), MOVES);
        for (Task task : tasks.values()) {
            if (task.kind() == Task.Kind.MOVE) {
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

    /** Whether what a server owns is not to move at once. */
    private boolean isKept(String server, Set<String> drained) {
        return view.isServing(server) || (isAwaited(server) && !drained.contains(server));
    }

    private void noteBalance(Set<String> eligible, Map<String, Task> tasks)
            throws KeeperException, InterruptedException {
        balanced.removeIf(server -> !eligible.contains(server) && !awaySince.containsKey(server));
        boolean asked = tasks.values().stream().anyMatch(task -> task.kind() == Task.Kind.REBALANCE);
        if (balanced.addAll(eligible) || asked) {
            balancing = true;
        }
        if (balancing) {
            traffic.read(view.servers().keySet());
        }
    }

    private int move(Assignment plan, Task task, Set<String> eligible, Map<String, List<String>> wanted) {
        boolean exists =
                task.number() < wanted.getOrDefault(task.topicId(), List.of()).size();
        if (!exists || !eligible.contains(task.server())) {
            events.add("not moved: " + task.topicId() + "/" + task.number() + " to " + task.server());
            return 0;
        }
        plan.move(task.topicId(), task.number(), task.server());
        return 1;
    }

    /** @param known what the owners were chosen by, not what is known by now: only over that they may be written */
    private boolean write(String topic, ClusterView.@Nullable Topic known, List<String> owners)
            throws KeeperException, InterruptedException {
        options.beforeWrite.accept(topic);
        String path = nodes.path(NodeKind.TOPIC, topic);
        long epoch = known == null ? 1 : known.owners().epoch() + 1;
        byte[] data = new TopicOwners(epoch, owners).encode();
        Stat stat = known == null
                ? nodes.create(path, data, CreateMode.PERSISTENT)
                : nodes.write(path, data, known.version());
        if (stat == null) {
            // Another leader has written, or this one knows too little. The watch brings what it is now.
            LOG.info("owners not written, they have changed meanwhile topic={}", topic);
            return false;
        }
        view.set(path, data, stat);
        written.accept(path);
        return true;
    }

    /** Removes tasks whose outcome is written; one for a topic only once the topic is so. */
    private void finish(Map<String, Task> tasks) throws KeeperException, InterruptedException {
        for (Map.Entry<String, Task> entry : tasks.entrySet()) {
            Task task = entry.getValue();
            ClusterView.Topic topic = view.topic(task.topicId());
            int partitions = topic == null ? 0 : topic.owners().owners().size();
            boolean written = deleted.contains(task.topicId()) ? topic == null : partitions >= task.number();
            if (task.kind() != Task.Kind.TOPIC || written) {
                String path = nodes.path(NodeKind.TASK, entry.getKey());
                nodes.delete(path, task.version());
            }
        }
    }
}
