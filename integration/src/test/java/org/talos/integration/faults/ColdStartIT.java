// SPDX-License-Identifier: Apache-2.0
package org.talos.integration.faults;

import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.client.TalosClient;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.Parts;
import org.talos.devcluster.WithDevCluster;
import org.talos.server.testing.ServerProcess;
import org.talos.server.testing.TestServer;

/** Processes that are killed under load: the server's alone, and with it every daemon at once. */
@Tag("full") // kills
@Tag("storage")
@WithDevCluster(Parts.HDFS)
@Timeout(400)
class ColdStartIT {
    private static final int PARTITIONS = 4;
    private static final int KILLS = 2;

    private final DevCluster cluster;

    @TempDir
    Path directory;

    ColdStartIT(DevCluster cluster) {
        this.cluster = cluster;
    }

    @Test
    void serverThatIsKilledAgainAndAgainLosesNothing() throws Exception {
        Settings settings = Settings.of(cluster.clientConfig()).prepared();
        Path data = directory.resolve("data");
        Load load;
        try (ServerProcess server = ServerProcess.start(data, settings.environment())) {
            load = load(TestServer.endpoint(server.endpoint(), data));
            server.kill();
            load.stop();
        }
        for (int kill = 1; kill < KILLS; kill++) {
            try (ServerProcess server = ServerProcess.start(data, settings.environment())) {
                TalosEndpoint endpoint = TestServer.endpoint(server.endpoint(), data);
                load.check(endpoint);
                load.start(endpoint);
                load.awaitMore(50);
                server.kill();
                load.stop();
            }
        }
        check(load, data, settings);
    }

    /** The disks have what was acknowledged, as each put was synced. */
    @Test
    void everythingIsKilledAtOnceAndNothingSyncedIsLost() throws Exception {
        Settings settings = Settings.of(cluster.clientConfig())
                .with("LOG_DURABILITY", "fsync")
                .prepared();
        Path data = directory.resolve("data");
        Load load;
        try (ServerProcess server = ServerProcess.start(data, settings.environment())) {
            load = load(TestServer.endpoint(server.endpoint(), data));
            cluster.killAll();
            server.kill();
            load.stop();
        }
        cluster.heal();
        check(load, data, settings);
    }

    private static Load load(TalosEndpoint endpoint) throws Exception {
        long seed = Long.getLong("talos.faults.seed", System.nanoTime());
        System.out.println("-Dtalos.faults.seed=" + seed);
        Load load = new Load(
                new TalosAdmin(new TalosClient(endpoint).once()).createTopic(NewTopic.of("cold", PARTITIONS)),
                new SplittableRandom(seed));
        load.start(endpoint);
        load.awaitMore(100);
        return load;
    }

    /** A server of this JVM takes it all over, continues, and another one looks again. */
    private static void check(Load load, Path data, Settings settings) throws Exception {
        try (TestServer server = TestServer.start(data, settings.values())) {
            load.check(server.endpoint());
            load.start(server.endpoint());
            load.awaitMore(20);
            load.stop();
            load.check(server.endpoint());
        }
        try (TestServer server = TestServer.start(data, settings.values())) {
            load.check(server.endpoint());
        }
        System.out.println("acknowledged=" + load.acknowledged() + " failures=" + load.failures());
    }
}
