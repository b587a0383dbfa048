// SPDX-License-Identifier: Apache-2.0
package org.talos.integration.faults;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.devcluster.Daemon;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.Parts;
import org.talos.devcluster.WithDevCluster;

/** A NameNode that is restarted or out of reach, and a DataNode that one server alone cannot reach. */
@Tag("full") // faults
@Tag("storage")
@WithDevCluster(Parts.HDFS)
@Timeout(400)
class NameNodeFaultsIT {
    private final DevCluster cluster;

    @TempDir
    Path directory;

    NameNodeFaultsIT(DevCluster cluster) {
        this.cluster = cluster;
    }

    @Test
    void putsContinueWhenTheNameNodeIsBack() throws Exception {
        try (LoadedServer server = LoadedServer.start(directory, Settings.of(cluster.clientConfig()))) {
            server.load().awaitMore(50);

            cluster.restart(Daemon.NAMENODE);
            server.load().awaitMore(100);
            cluster.kill(Daemon.NAMENODE);
            server.load().awaitFailure();
            cluster.start(Daemon.NAMENODE);
            server.load().awaitMore(100);

            server.stopAndCheck();
        }
    }

    @Test
    void serverThatIsCutFromTheNameNodeAloneGoesOnWhenItReachesItAgain() throws Exception {
        try (Proxies proxies = Proxies.before(cluster, directory);
                LoadedServer server = LoadedServer.start(directory, Settings.of(proxies.clientConfig()))) {
            server.load().awaitMore(50);

            proxies.nameNode().stall();
            server.load().awaitFailure();
            proxies.nameNode().repair();
            server.load().awaitMore(50);
            proxies.nameNode().refuse();
            proxies.nameNode().cut();
            server.load().awaitFailure();
            proxies.nameNode().repair();
            server.load().awaitMore(50);

            server.stopAndCheck();
        }
    }

    @Test
    void serverThatIsCutFromOneDataNodeAloneGoesOnWithTheOthers() throws Exception {
        try (Proxies proxies = Proxies.before(cluster, directory);
                LoadedServer server = LoadedServer.start(directory, Settings.of(proxies.clientConfig()))) {
            server.load().awaitMore(50);

            proxies.stall(Daemon.DATANODE_2);
            server.load().awaitMore(50);
            proxies.repair(Daemon.DATANODE_2);
            server.load().awaitMore(50);
            proxies.refuse(Daemon.DATANODE_2);
            server.load().awaitMore(50);
            proxies.repair(Daemon.DATANODE_2);
            server.load().awaitMore(50);

            server.stopAndCheck();
        }
    }
}
