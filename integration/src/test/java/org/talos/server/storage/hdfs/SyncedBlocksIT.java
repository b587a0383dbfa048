// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.talos.devcluster.Daemon;
import org.talos.devcluster.DaemonStatus;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.Parts;
import org.talos.devcluster.WithDevCluster;
import org.talos.server.config.Durability;
import org.talos.server.config.HdfsConfig;
import org.talos.server.hadoop.ClientConfiguration;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.journal.JournaledSegmentStore;

/**
 * Tests the syncs of a DataNode, seen from outside with strace: the data of each block that is full or closed, its
 * checksums, and the directory that has its name. Only then does it outlive a power failure of all DataNodes.
 */
@Tag("full") // daemons
@Tag("storage")
@WithDevCluster(Parts.HDFS)
@EnabledIf("hasStrace")
@Timeout(240)
class SyncedBlocksIT {
    private static final SegmentName NAME = new SegmentName(new LogId("0123456789abcdef0123456789abcdef", 0), 0, 1);
    private static final int RECORD_BYTES = 100_000;
    private static final int RECORDS = 25; // two full blocks, and one that is begun

    @TempDir
    private java.nio.file.Path directory;

    private final DevCluster cluster;
    private final HdfsConfig config;
    private final HdfsPaths paths;
    private JournaledSegmentStore owner;
    private DistributedFileSystem files;
    private Process strace;
    private java.nio.file.Path trace;

    SyncedBlocksIT(DevCluster cluster) {
        this.cluster = cluster;
        String root = "/synced-" + UUID.randomUUID();
        config = HdfsStores.config(cluster, root);
        paths = new HdfsPaths(new Path(root));
    }

    static boolean hasStrace() {
        return Files.isExecutable(java.nio.file.Path.of("/usr/bin/strace"));
    }

    @BeforeEach
    void open() throws Exception {
        Configuration hadoop = ClientConfiguration.hdfs(config);
        owner = HdfsStores.open(config, hadoop, Durability.FSYNC);
        files = (DistributedFileSystem) FileSystem.newInstance(hadoop);
        follow(Daemon.DATANODE_1);
    }

    /** Has strace write down each sync of the DataNode, with the path of what is synced. */
    private void follow(Daemon dataNode) throws Exception {
        long pid = cluster.status().stream()
                .filter(each -> each.daemon() == dataNode)
                .map(DaemonStatus::pid)
                .findFirst()
                .orElseThrow()
                .orElseThrow();
        trace = directory.resolve("trace");
        java.nio.file.Path messages = directory.resolve("strace");
        strace = new ProcessBuilder(
                        "/usr/bin/strace", "-f", "-y", "-e", "trace=fsync,fdatasync", "-o", "" + trace, "-p", "" + pid)
                .redirectErrorStream(true)
                .redirectOutput(messages.toFile())
                .start();
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .until(() -> Files.readString(messages).contains("attached"));
    }

    @AfterEach
    void close() throws Exception {
        strace.destroy(); // lets go of the DataNode
        assertThat(strace.waitFor(20, TimeUnit.SECONDS)).isTrue();
        files.close();
        owner.close();
    }

    private SegmentWriter write() throws Exception {
        SegmentWriter writer = owner.create(NAME);
        for (int i = 0; i < RECORDS; i++) {
            writer.append(List.of(ByteBuffer.allocate(RECORD_BYTES))).join();
        }
        return writer;
    }

    private List<String> blocks(Path file) throws IOException {
        return files.getClient().getLocatedBlocks(file.toUri().getPath(), 0).getLocatedBlocks().stream()
                .map(each -> each.getBlock().getBlockName())
                .toList();
    }

    private boolean hasSynced(String what) throws IOException {
        return Files.readAllLines(trace).stream()
                .anyMatch(line -> (line.contains("fsync(") || line.contains("fdatasync(")) && line.contains(what));
    }

    private void assertSynced(String block) {
        Awaitility.await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
            assertThat(hasSynced("/" + block + ">")).as("data of " + block).isTrue();
            assertThat(hasSynced("/" + block + "_")).as("checksums of " + block).isTrue();
        });
    }

    private long syncsOfDirectories() throws IOException {
        return Files.readAllLines(trace).stream()
                .filter(line -> line.contains("/current/finalized"))
                .filter(line -> !line.contains("/blk_"))
                .count();
    }

    @Test
    void blocksOfASealedSegmentAreOnTheDisks() throws Exception {
        write().seal();

        List<String> blocks = blocks(paths.first(NAME));
        assertThat(blocks).hasSize(3);
        blocks.forEach(this::assertSynced);
        assertThat(syncsOfDirectories()).isGreaterThanOrEqualTo(3);
    }

    @Test
    void indexIsOnTheDisks() throws Exception {
        write().seal();

        owner.saveIndex(NAME, new byte[] {1, 2, 3});

        assertSynced(blocks(paths.index(NAME)).get(0));
    }

    @Test
    void segmentWhoseLeaseWasRecoveredIsOnTheDisksOnceItIsTakenOver() throws Exception {
        SegmentWriter writer = write();
        try (JournaledSegmentStore next = HdfsStores.open(config, ClientConfiguration.hdfs(config), Durability.FSYNC)) {
            assertThat(next.recover(NAME)).isEqualTo((long) RECORDS * RECORD_BYTES);

            List<String> blocks = blocks(paths.first(NAME));
            blocks.forEach(this::assertSynced);
            assertThat(syncsOfDirectories()).isGreaterThanOrEqualTo(blocks.size());
        }
        writer.close();
    }
}
