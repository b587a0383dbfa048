// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.ObjIntConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.apache.curator.framework.recipes.cache.CuratorCacheStorage;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.cluster.zookeeper.access.AccessLists;
import org.talos.server.cluster.zookeeper.access.ClientLogin;
import org.talos.server.config.ZooKeeperConfig;
import org.talos.server.runtime.thread.NamedThreads;

/**
 * The link over Curator. Listeners are called on Curator's threads.
 *
 * <p>Thread-safe.
 */
final class CuratorLink implements ZooKeeperLink {
    private static final Logger LOG = LoggerFactory.getLogger(CuratorLink.class);

    private final CuratorFramework client;
    private final ClientLogin login;
    private final AccessLists access;
    private final AtomicBoolean protectionDue;
    private final AtomicBoolean begunAnew = new AtomicBoolean();

    /**
     * A client that is not connected yet.
     *
     * @throws IOException its credentials cannot be read
     */
    CuratorLink(ZooKeeperConfig config) throws IOException {
        login = ClientLogin.read(config.sasl());
        access = new AccessLists(config.sasl());
        protectionDue = new AtomicBoolean(config.sasl().enabled());
        int sessionMillis = Math.toIntExact(config.sessionTimeout().toMillis());
        client = CuratorFrameworkFactory.builder()
                .connectString(config.connect())
                .sessionTimeoutMs(sessionMillis)
                .connectionTimeoutMs(sessionMillis)
                .retryPolicy(new RetryNTimes(3, 100))
                .threadFactory(new NamedThreads("zookeeper"))
                .ensembleTracker(false)
                .zkClientConfig(login.clientConfig())
                .aclProvider(access.forNewNodes())
                .build();
    }

    @Override
    public void start(Consumer<ConnectionState> listener, Runnable refused) {
        client.getConnectionStateListenable().addListener((curator, state) -> listener.accept(state));
        client.getCuratorListenable().addListener((curator, event) -> {
            WatchedEvent watched = event.getWatchedEvent();
            KeeperState state = watched == null ? KeeperState.Disconnected : watched.getState();
            if (state == KeeperState.AuthFailed) {
                refused.run();
            } else if (state == KeeperState.SyncConnected && begunAnew.compareAndSet(true, false)) {
                // Curator may not have noticed that the session is another.
                listener.accept(ConnectionState.RECONNECTED);
            }
        });
        client.start();
    }

    @Override
    public void beginAnew() {
        begunAnew.set(true);
        try {
            client.getZookeeperClient().reset();
        } catch (Exception e) { // all that Curator declares
            LOG.warn("no new connection to ZooKeeper", e);
        }
    }

    @Override
    public void protect(String path) throws KeeperException, InterruptedException {
        if (protectionDue.get()) {
            var unused = access.change(connection(), path);
            protectionDue.set(false); // nodes that this process creates have the right list from the beginning
        }
    }

    @Override
    public boolean isConnected() {
        return client.getZookeeperClient().isConnected();
    }

    CuratorFramework client() {
        return client;
    }

    ZooKeeper connection() throws KeeperException {
        try {
            return client.getZookeeperClient().getZooKeeper();
        } catch (KeeperException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("no connection to ZooKeeper: " + e.getMessage(), e);
        }
    }

    @Override
    public Session session() throws KeeperException {
        ZooKeeper connection = connection();
        return new Session(connection.getSessionId(), connection.getSessionTimeout());
    }

    @Override
    public Stat create(String path, byte[] data, CreateMode mode) throws KeeperException, InterruptedException {
        Stat stat = new Stat();
        call(() -> client.create().storingStatIn(stat).withMode(mode).forPath(path, data));
        return stat;
    }

    @Override
    public void createWithParents(String path) throws KeeperException, InterruptedException {
        // Not containers, which ZooKeeper removes when they are empty.
        call(() -> client.create().creatingParentsIfNeeded().forPath(path, new byte[0]));
    }

    @Override
    public boolean exists(String path) throws KeeperException, InterruptedException {
        return call(() -> client.checkExists().forPath(path) != null);
    }

    @Override
    public NodeData read(String path) throws KeeperException, InterruptedException {
        Stat stat = new Stat();
        return new NodeData(call(() -> client.getData().storingStatIn(stat).forPath(path)), stat);
    }

    @Override
    public List<String> names(String path) throws KeeperException, InterruptedException {
        return call(() -> client.getChildren().forPath(path));
    }

    @Override
    public Stat write(String path, byte[] data, int version) throws KeeperException, InterruptedException {
        return call(() -> client.setData().withVersion(version).forPath(path, data));
    }

    @Override
    public List<Stat> writeAll(List<Nodes.Write> writes) throws KeeperException, InterruptedException {
        List<CuratorTransactionResult> results = call(() -> {
            List<CuratorOp> operations = new ArrayList<>(writes.size());
            for (Nodes.Write each : writes) {
                operations.add(client.transactionOp()
                        .setData()
                        .withVersion(each.version())
                        .forPath(each.path(), each.data()));
            }
            return client.transaction().forOperations(operations);
        });
        return results.stream().map(CuratorTransactionResult::getResultStat).toList();
    }

    @Override
    public Stat put(String path, byte[] data) throws KeeperException, InterruptedException {
        Stat stat = new Stat();
        call(() -> client.create().orSetData().storingStatIn(stat).forPath(path, data));
        return stat;
    }

    @Override
    public void delete(String path, int version) throws KeeperException, InterruptedException {
        call(() -> client.delete().withVersion(version).forPath(path));
    }

    @Override
    public void existsLater(String path, ObjIntConsumer<@Nullable Stat> answer) {
        try {
            client.checkExists()
                    .inBackground((curator, event) -> answer.accept(event.getStat(), event.getResultCode()))
                    .forPath(path);
        } catch (Exception e) { // all that Curator declares
            LOG.warn("ZooKeeper request not sent path={}", path, e);
        }
    }

    @Override
    public void putLater(String path, byte[] data, IntConsumer answer) {
        try {
            client.create()
                    .orSetData()
                    .inBackground((curator, event) -> answer.accept(event.getResultCode()))
                    .forPath(path, data);
        } catch (Exception e) { // all that Curator declares
            LOG.warn("change not announced to the cluster; others see it later path={}", path, e);
        }
    }

    @Override
    public Watch watch(String path, Watcher watcher) {
        CuratorCache cache = CuratorCache.builder(client, path)
                .withStorage(new WatchedNodes())
                .withExceptionHandler(watcher::failed)
                .build();
        CuratorCacheListener listener = new CuratorCacheListener() {
            @Override
            public void event(Type type, @Nullable ChildData before, @Nullable ChildData now) {
                watcher.changed(before, now);
            }

            @Override
            public void initialized() {
                watcher.initialized();
            }
        };
        cache.listenable().addListener(listener, Runnable::run); // the listener only queues
        return new CacheWatch(cache);
    }

    /**
     * The nodes that Curator's cache has read. A node that was deleted and created again while no one watched is
     * another node. Curator reports nodes that it finds again, and nodes whose version has changed, and the version
     * begins at 0 again.
     *
     * <p>Thread-safe.
     */
    static final class WatchedNodes implements CuratorCacheStorage {
        private final CuratorCacheStorage nodes = CuratorCacheStorage.standard();

        /**
         * Keeps the node that was read. Returns the same node as it was before; empty if there was none, or another
         * one.
         */
        @Override
        public Optional<ChildData> put(ChildData read) {
            long created = read.getStat().getCzxid();
            return nodes.put(read).filter(before -> before.getStat().getCzxid() == created);
        }

        @Override
        public Optional<ChildData> remove(String path) {
            return nodes.remove(path);
        }

        @Override
        public void clear() {
            nodes.clear();
        }

        @Override
        public Optional<ChildData> get(String path) {
            return nodes.get(path);
        }

        @Override
        public int size() {
            return nodes.size();
        }

        @Override
        public Stream<ChildData> stream() {
            return nodes.stream();
        }
    }

    /** A cache of Curator. Thread-safe. */
    private record CacheWatch(CuratorCache cache) implements Watch {
        @Override
        public void start() {
            cache.start();
        }

        @Override
        public Set<String> paths() {
            return cache.stream().map(ChildData::getPath).collect(Collectors.toSet());
        }

        @Override
        public void close() {
            cache.close();
        }
    }

    @Override
    public void close() {
        client.close();
        login.close();
    }

    /** Curator declares Exception; it throws only these. */
    private static <T> T call(Callable<T> call) throws KeeperException, InterruptedException {
        try {
            return call.call();
        } catch (KeeperException | InterruptedException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("ZooKeeper's client failed in an unknown way: " + e.getMessage(), e);
        }
    }
}
