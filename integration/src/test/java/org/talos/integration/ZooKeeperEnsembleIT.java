// SPDX-License-Identifier: Apache-2.0
package org.talos.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.devcluster.Daemon;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.Parts;

/** A development cluster of its own, whose ZooKeeper has three servers. */
@Tag("full") // daemons
@Tag("storage")
@Timeout(300)
class ZooKeeperEnsembleIT {
    private static final Path JARS = Path.of(System.getProperty("talos.root"), "devcluster", "daemons", "target");
    private static final String HBASE = "org.talos.devcluster.daemon.HBaseTool";

    @TempDir
    private Path directory;

    @Test
    void ensembleAndWhatNeedsItContinueWithoutItsLeader() throws Exception {
        try (DevCluster cluster = DevCluster.attached(directory, JARS, 3)) {
            cluster.start(Parts.ALL);
            cluster.run(HBASE, "create", "ensemble-it");
            Daemon leader = cluster.zooKeeperLeader().orElseThrow();

            cluster.kill(leader);

            Awaitility.await()
                    .atMost(1, TimeUnit.MINUTES)
                    .until(() -> cluster.zooKeeperLeader().isPresent());
            cluster.run(HBASE, "put", "ensemble-it", "row", "value");
            assertThat(cluster.zooKeeperLeader()).isPresent().get().isNotEqualTo(leader);
            cluster.heal();
            assertThat(cluster.run(HBASE, "get", "ensemble-it", "row")).isEqualTo("value");
        }
    }
}
