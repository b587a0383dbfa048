// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper.access;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.talos.server.config.ZooKeeperConfig;

/** Lists, without a server, who may use the servers' nodes. Immutable; its call blocks. */
public final class NodeInspection {
    private NodeInspection() {}

    /**
     * The access lists of all nodes.
     *
     * @throws IOException ZooKeeper cannot be reached, or refuses the request; the message has the remedy
     */
    public static AccessLists.Survey survey(ZooKeeperConfig config) throws IOException {
        try (ClientLogin login = ClientLogin.read(config.sasl())) {
            return survey(config, login);
        } catch (KeeperException e) {
            throw new IOException(Refusal.of(e, config).orElse("ZooKeeper: " + e.getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for ZooKeeper", e);
        }
    }

    private static AccessLists.Survey survey(ZooKeeperConfig config, ClientLogin login)
            throws IOException, KeeperException, InterruptedException {
        int millis = Math.toIntExact(config.sessionTimeout().toMillis());
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper client = new ZooKeeper(
                config.connect(),
                millis,
                event -> {
                    if (event.getState() == KeeperState.SyncConnected) {
                        connected.countDown();
                    }
                },
                login.clientConfig());
        try {
            if (!connected.await(millis, TimeUnit.MILLISECONDS)) {
                throw new IOException("zookeeper.connect: " + config.connect() + " does not answer");
            }
            return new AccessLists(config.sasl()).survey(client, config.root());
        } finally {
            client.close();
        }
    }
}
