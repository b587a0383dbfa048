// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.framework.api.transaction.CuratorTransactionResult;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/**
 * ZooKeeper's calls through Curator, which repeats those that a lost connection has interrupted.
 *
 * <p>Thread-safe.
 */
final class CuratorCalls implements Nodes.Calls {
    private final CuratorFramework client;

    CuratorCalls(CuratorFramework client) {
        this.client = client;
    }

    @Override
    public boolean exists(String path) throws KeeperException, InterruptedException {
        return call(() -> client.checkExists().forPath(path) != null);
    }

    @Override
    public void createWithParents(String path) throws KeeperException, InterruptedException {
        // Not containers, which ZooKeeper removes when they are empty.
        call(() -> client.create().creatingParentsIfNeeded().forPath(path, new byte[0]));
    }

    @Override
    public Stat create(String path, byte[] data, CreateMode mode) throws KeeperException, InterruptedException {
        Stat stat = new Stat();
        call(() -> client.create().storingStatIn(stat).withMode(mode).forPath(path, data));
        return stat;
    }

    @Override
    public NodeData read(String path) throws KeeperException, InterruptedException {
        Stat stat = new Stat();
        return new NodeData(call(() -> client.getData().storingStatIn(stat).forPath(path)), stat);
    }

    @Override
    public List<String> names(String folder) throws KeeperException, InterruptedException {
        return call(() -> client.getChildren().forPath(folder));
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
