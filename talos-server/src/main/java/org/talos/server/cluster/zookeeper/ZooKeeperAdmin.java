// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.talos.server.cluster.ClusterAdmin;
import org.talos.server.cluster.ClusterStatus;

/**
 * Writes operators' requests as nodes that the leader acts on.
 *
 * <p>Thread-safe.
 */
final class ZooKeeperAdmin implements ClusterAdmin {
    private final ZooKeeperLink link;
    private final Nodes nodes;
    private final ClusterView view;

    ZooKeeperAdmin(ZooKeeperLink link, Nodes nodes, ClusterView view) {
        this.link = link;
        this.nodes = nodes;
        this.view = view;
    }

    @Override
    public ClusterStatus status() throws IOException {
        Map<String, Long> owned = new HashMap<>();
        view.topics()
                .values()
                .forEach(topic -> topic.owners().owners().forEach(owner -> owned.merge(owner, 1L, Long::sum)));
        long withoutServer = owned.entrySet().stream()
                .filter(each -> !view.isServing(each.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
        owned.remove(TopicOwners.NOBODY);
        Set<String> drained = view.drained();
        Set<String> ids = new TreeSet<>(owned.keySet());
        ids.addAll(view.servers().keySet());
        ids.addAll(drained);
        List<ClusterStatus.Server> servers = new ArrayList<>();
        for (String id : ids) {
            ClusterView.LiveServer server = view.servers().get(id);
            String address = server == null ? "" : server.member().clientAddress();
            ClusterStatus.State state = drained.contains(id)
                    ? ClusterStatus.State.DRAINED
                    : view.isServing(id) ? ClusterStatus.State.SERVING : ClusterStatus.State.DELAY_REMOVED;
            servers.add(new ClusterStatus.Server(id, state, address, owned.getOrDefault(id, 0L), view.health(id)));
        }
        ClusterView.LeaderSession leader = view.leader();
        return new ClusterStatus(
                leader == null ? "" : leader.server(), servers, withoutServer, answer(() -> EventLog.stored(nodes)));
    }

    @Override
    public void move(String topicId, int partition, String serverId) throws IOException {
        ClusterView.VersionedOwners topic = view.topic(topicId);
        if (topic == null
                || partition < 0
                || partition >= topic.owners().owners().size()) {
            throw new IllegalArgumentException(
                    "partition: " + topicId + "/" + partition + " (expected: one that exists)");
        }
        if (!view.isServing(serverId) || view.drained().contains(serverId)) {
            throw new IllegalArgumentException("server: " + serverId + " (expected: one that serves)");
        }
        submit("move-", LeaderTask.move(topicId, partition, serverId));
    }

    @Override
    public void rebalance() throws IOException {
        submit("rebalance-", LeaderTask.rebalance());
    }

    @Override
    public void drain(String serverId) throws IOException {
        boolean owns = view.topics().values().stream()
                .anyMatch(topic -> topic.owners().owners().contains(serverId));
        if (!owns && !view.servers().containsKey(serverId)) {
            throw new IllegalArgumentException("server: " + serverId + " (expected: one of the cluster)");
        }
        answer(() -> nodes.create(nodes.path(NodeKind.DRAIN, serverId), new byte[0], CreateMode.PERSISTENT) != null);
    }

    @Override
    public void resume(String serverId) throws IOException {
        answer(() -> nodes.delete(nodes.path(NodeKind.DRAIN, serverId), -1));
    }

    private void submit(String name, LeaderTask task) throws IOException {
        String path = nodes.path(NodeKind.TASK, name);
        answer(() -> nodes.create(path, task.encode(), CreateMode.PERSISTENT_SEQUENTIAL) != null);
    }

    /** A blocking call to ZooKeeper. */
    @FunctionalInterface
    private interface ZooKeeperCall<T> {
        T run() throws IOException, KeeperException, InterruptedException;
    }

    private <T> T answer(ZooKeeperCall<T> call) throws IOException {
        if (!link.isConnected()) {
            throw new IOException("ZooKeeper cannot be reached");
        }
        try {
            return call.run();
        } catch (KeeperException e) {
            throw new IOException("ZooKeeper: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for ZooKeeper", e);
        }
    }
}
