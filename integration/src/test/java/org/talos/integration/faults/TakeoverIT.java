// SPDX-License-Identifier: Apache-2.0
package org.talos.integration.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.talos.client.TalosClient;
import org.talos.client.TalosEndpoint;
import org.talos.client.admin.NewTopic;
import org.talos.client.admin.TalosAdmin;
import org.talos.client.admin.TopicDescription;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.WithDevCluster;
import org.talos.server.testing.ServerProcess;
import org.talos.server.testing.TestServer;

/**
 * Two servers on one HDFS and one HBase: the second takes all partitions from the first, which was killed or is paused.
 * Repeat it with {@code -Dtalos.paused.repetitions=20}.
 */
@Tag("full") // long
@Tag("storage")
@WithDevCluster
@Timeout(value = 400, unit = TimeUnit.SECONDS)
class TakeoverIT {
    private static final int PARTITIONS = 4;

    private final Settings settings;

    @TempDir
    Path directory;

    TakeoverIT(DevCluster cluster) {
        settings = Settings.of(cluster.clientConfig())
                .with("STORAGE_METADATA", "hbase")
                .with("HBASE_CONFIGDIRECTORY", cluster.clientConfig().toString())
                .with("HBASE_TABLE", "takeover-" + UUID.randomUUID());
    }

    @BeforeEach
    void setUp() throws Exception {
        settings.prepared();
    }

    static IntStream repetitions() {
        return IntStream.rangeClosed(1, Integer.getInteger("talos.paused.repetitions", 2));
    }

    @Test
    void killedServersPartitionsContinueAtAnother() throws Exception {
        try (ServerProcess first = start("first")) {
            TalosEndpoint endpoint = endpoint(first, "first");
            Load load = load(endpoint);

            first.kill();
            load.stop();

            try (ServerProcess second = start("second")) {
                resume(load, endpoint(second, "second"));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("repetitions")
    void pausedServerAcknowledgesNothingBehindTheNewOwnersBack(int repetition) throws Exception {
        try (ServerProcess first = start("first")) {
            TalosEndpoint endpoint = endpoint(first, "first");
            Load load = load(endpoint);

            first.signal("STOP");
            try (ServerProcess second = start("second")) {
                TalosEndpoint taken = endpoint(second, "second");
                int before = load.acknowledged();
                Load late = new Load(load.topic(), new SplittableRandom(repetition));
                first.signal("CONT");
                load.awaitFailure();
                late.start(endpoint);
                late.awaitFailure();
                late.stop();
                load.stop();

                assertThat(late.acknowledged()).as("late puts acknowledged").isZero();
                resume(load, taken);
                System.out.println("paused server repetition=" + repetition + " acknowledged=" + load.acknowledged()
                        + " whenResumed=" + before + " failures=" + load.failures() + late.failures());
            }
        }
    }

    private ServerProcess start(String name) throws Exception {
        Path data = Files.createDirectories(directory.resolve(name).resolve("data"));
        Path known = directory.resolve("first").resolve("data");
        for (String file : List.of("secrets.key", "admin.credentials")) {
            if (Files.exists(known.resolve(file)) && !Files.exists(data.resolve(file))) {
                Files.copy(known.resolve(file), data.resolve(file));
            }
        }
        return ServerProcess.start(data, settings.environment());
    }

    private TalosEndpoint endpoint(ServerProcess server, String name) throws Exception {
        return TestServer.endpoint(server.endpoint(), directory.resolve(name).resolve("data"));
    }

    private static Load load(TalosEndpoint endpoint) throws Exception {
        TopicDescription topic =
                new TalosAdmin(new TalosClient(endpoint).once()).createTopic(NewTopic.of("takeover", PARTITIONS));
        Load load = new Load(topic, new SplittableRandom(System.nanoTime()));
        load.start(endpoint);
        load.awaitMore(30);
        return load;
    }

    /** Checks that the new owner has all acknowledged messages and takes more, and that all are there afterwards. */
    private static void resume(Load load, TalosEndpoint endpoint) throws Exception {
        load.check(endpoint);
        load.start(endpoint);
        load.awaitMore(20);
        load.stop();
        load.check(endpoint);
    }
}
