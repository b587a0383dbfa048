// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.Parts;
import org.talos.devcluster.WithDevCluster;
import org.talos.server.config.Durability;
import org.talos.server.config.HdfsConfig;
import org.talos.server.storage.journal.JournaledSegmentStore;

/**
 * A process that is paused or killed in the middle of its appends, while another takes its segments. Repeat it with
 * {@code -Dtalos.paused.repetitions=20}.
 */
@WithDevCluster(Parts.HDFS)
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class PausedOwnerIT {
    private final DevCluster cluster;

    @TempDir
    Path directory;

    PausedOwnerIT(DevCluster cluster) {
        this.cluster = cluster;
    }

    static IntStream repetitions() {
        return IntStream.rangeClosed(1, Integer.getInteger("talos.paused.repetitions", 2));
    }

    @Tag("full") // repeated
    @Tag("storage")
    @ParameterizedTest
    @MethodSource("repetitions")
    void pausedOwnerAcknowledgesNothingThatTheNewOneLacks(int repetition) throws Exception {
        String root = "/paused-" + UUID.randomUUID();
        HdfsConfig config = HdfsStores.config(cluster, root);
        try (StoreProcess owner = StoreProcess.start(cluster, root, directory.resolve("owner.log"));
                JournaledSegmentStore next = HdfsStores.open(config, Durability.FLUSH);
                JournaledSegmentStore reader = HdfsStores.open(config, Durability.FLUSH)) {
            assertThat(owner.awaitBegun()).isTrue();

            owner.signal("STOP");
            long begin = System.nanoTime();
            List<String> taken = take(next);
            long millis = (System.nanoTime() - begin) / 1_000_000;
            owner.signal("CONT");
            assertThat(owner.awaitEnd()).as("each of its segments fails").isTrue();

            int acknowledged = assertAllIsThere(owner, taken);
            assertThat(take(reader)).isEqualTo(taken);
            System.out.println(
                    "paused repetition=" + repetition + " acknowledged=" + acknowledged + " takeoverMs=" + millis);
        }
    }

    @Test
    void killedOwnerLosesNothingThatItAcknowledged() throws Exception {
        String root = "/killed-" + UUID.randomUUID();
        HdfsConfig config = HdfsStores.config(cluster, root);
        try (StoreProcess owner = StoreProcess.start(cluster, root, directory.resolve("owner.log"));
                JournaledSegmentStore next = HdfsStores.open(config, Durability.FLUSH)) {
            assertThat(owner.awaitBegun()).isTrue();

            owner.signal("KILL");
            assertThat(owner.awaitEnd()).isTrue();
            List<String> taken = take(next);

            assertAllIsThere(owner, taken);
        }
    }

    private static List<String> take(JournaledSegmentStore store) throws Exception {
        List<String> found = new ArrayList<>();
        for (int partition = 0; partition < StoreProcess.PARTITIONS; partition++) {
            long length = store.recover(StoreProcess.segment(partition));
            ByteBuffer target = ByteBuffer.allocate((int) length);
            assertThat(store.read(StoreProcess.segment(partition), 0, target)).isEqualTo((int) length);
            found.add(StandardCharsets.UTF_8.decode(target.flip()).toString());
        }
        return found;
    }

    /** Returns how many appends were acknowledged. */
    private static int assertAllIsThere(StoreProcess owner, List<String> taken) {
        int lines = 0;
        for (int partition = 0; partition < StoreProcess.PARTITIONS; partition++) {
            String acknowledged = owner.acknowledged(partition);
            assertThat(taken.get(partition).startsWith(acknowledged))
                    .as(
                            "partition %s: %s characters acknowledged, %s found",
                            partition,
                            acknowledged.length(),
                            taken.get(partition).length())
                    .isTrue();
            lines += (int) acknowledged.lines().count();
        }
        assertThat(lines).isGreaterThan(100);
        return lines;
    }
}
