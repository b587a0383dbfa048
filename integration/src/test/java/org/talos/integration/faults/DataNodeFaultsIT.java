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

/** DataNodes that go, come back, are full: what was acknowledged stays, and puts continue as soon as they can. */
@Tag("full") // faults
@Tag("storage")
@WithDevCluster(Parts.HDFS)
@Timeout(400)
class DataNodeFaultsIT {
    private final DevCluster cluster;

    @TempDir
    Path directory;

    DataNodeFaultsIT(DevCluster cluster) {
        this.cluster = cluster;
    }

    @Test
    void putsContinueWhenOneDataNodeIsKilledAndComesBack() throws Exception {
        try (LoadedServer server = LoadedServer.start(directory, Settings.of(cluster.clientConfig()))) {
            server.load().awaitMore(50);

            cluster.kill(Daemon.DATANODE_2);
            server.load().awaitMore(100);
            cluster.start(Daemon.DATANODE_2);
            server.load().awaitMore(100);

            server.stopAndCheck();
        }
    }

    @Test
    void putsContinueWithOneDataNodeOfThreeAndAllIsThereWhenTheOthersAreBack() throws Exception {
        try (LoadedServer server = LoadedServer.start(directory, Settings.of(cluster.clientConfig()))) {
            server.load().awaitMore(50);

            cluster.kill(Daemon.DATANODE_1);
            cluster.kill(Daemon.DATANODE_3);
            server.load().awaitMore(50);
            cluster.start(Daemon.DATANODE_1);
            cluster.start(Daemon.DATANODE_3);
            server.load().awaitMore(100);

            server.stopAndCheck();
        }
    }

    @Test
    void fullDiskOfOneDataNodeStopsNobody() throws Exception {
        try (LoadedServer server = LoadedServer.start(directory, Settings.of(cluster.clientConfig()))) {
            server.load().awaitMore(50);

            cluster.fillDisk(Daemon.DATANODE_3);
            server.load().awaitMore(100);
            cluster.freeDisk(Daemon.DATANODE_3);
            server.load().awaitMore(50);

            server.stopAndCheck();
        }
    }

    @Test
    void putsFailWhileEveryDiskIsFullAndContinueAfterwards() throws Exception {
        try (LoadedServer server = LoadedServer.start(directory, Settings.of(cluster.clientConfig()))) {
            server.load().awaitMore(50);

            for (Daemon dataNode : Daemon.dataNodes()) {
                cluster.fillDisk(dataNode);
            }
            server.load().awaitFailure();
            for (Daemon dataNode : Daemon.dataNodes()) {
                cluster.freeDisk(dataNode);
            }
            server.load().awaitMore(50);

            server.stopAndCheck();
        }
    }
}
