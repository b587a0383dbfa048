// SPDX-License-Identifier: Apache-2.0
package org.talos.integration.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.devcluster.Daemon;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.Parts;
import org.talos.devcluster.WithDevCluster;

/** DataNodes that hold their connections and do not answer: nobody waits forever, and nothing piles up. */
@Tag("full") // faults
@Tag("storage")
@WithDevCluster(Parts.HDFS)
@Timeout(400)
class StallIT {
    private final DevCluster cluster;

    @TempDir
    Path directory;

    StallIT(DevCluster cluster) {
        this.cluster = cluster;
    }

    @Test
    void putsContinueWithoutTheDataNodeThatDoesNotAnswer() throws Exception {
        try (LoadedServer server = LoadedServer.start(directory, Settings.of(cluster.clientConfig()))) {
            server.load().awaitMore(50);

            cluster.pause(Daemon.DATANODE_1);
            server.load().awaitMore(50);
            cluster.resume(Daemon.DATANODE_1);
            server.load().awaitMore(50);

            server.stopAndCheck();
        }
    }

    /**
     * Hadoop's own timeouts, 60 s, so that the flushes wait for as long as the DataNodes are held still: until every
     * producer has given a put up.
     */
    @Test
    void flushThatStandsStillLongerThanItsClientsWaitEndsInTheEnd() throws Exception {
        Settings settings = Settings.of(patientClients()).with("LOG_MAXUNWRITTENBYTES", "1MiB");
        try (LoadedServer server = LoadedServer.start(directory, settings)) {
            server.load().awaitMore(50);

            for (Daemon dataNode : Daemon.dataNodes()) {
                cluster.pause(dataNode);
            }
            int before = server.load().acknowledged();
            server.load().awaitFailure();
            int meanwhile = server.load().acknowledged() - before;
            for (Daemon dataNode : Daemon.dataNodes()) {
                cluster.resume(dataNode);
            }
            server.load().awaitMore(50);

            assertThat(meanwhile).as("acknowledged while nobody could").isLessThan(10);
            server.stopAndCheck();
        }
    }

    private Path patientClients() throws Exception {
        Path config = Files.createDirectories(directory.resolve("conf"));
        for (String file : new String[] {"core-site.xml", "hdfs-site.xml"}) {
            String text = Files.readString(cluster.clientConfig().resolve(file));
            Files.writeString(
                    config.resolve(file),
                    text.replaceAll("(dfs.client.socket-timeout</name>\\s*<value>)\\d+", "$160000"));
        }
        return config;
    }
}
