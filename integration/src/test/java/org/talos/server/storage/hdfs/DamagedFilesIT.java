// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.Parts;
import org.talos.devcluster.WithDevCluster;
import org.talos.server.config.Durability;
import org.talos.server.config.HdfsConfig;
import org.talos.server.hadoop.ClientConfiguration;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.JournaledSegmentStore;

/**
 * Bits that turn over on the DataNodes' disks: with a good replica left nobody notices, without one it is refused, and
 * never taken for the end of what was written.
 */
@Tag("full") // faults
@Tag("storage")
@WithDevCluster(Parts.HDFS)
@Timeout(240)
class DamagedFilesIT {
    private static final SegmentName NAME = new SegmentName(new LogId("0123456789abcdef0123456789abcdef", 0), 0, 1);
    private static final int RECORDS = 200;
    private static final int RECORD_BYTES = 500;
    private static final int ALL_BYTES = RECORDS * RECORD_BYTES;
    private static final int MIDDLE = ALL_BYTES / 2;

    private final java.nio.file.Path data;
    private final HdfsConfig config;
    private final HdfsPaths paths;
    private JournaledSegmentStore owner;
    private JournaledSegmentStore next;
    private DistributedFileSystem files;

    DamagedFilesIT(DevCluster cluster) {
        data = cluster.clientConfig().resolveSibling("data");
        String root = "/damaged-" + UUID.randomUUID();
        config = HdfsStores.config(cluster, root);
        paths = new HdfsPaths(new Path(root));
    }

    @BeforeEach
    void open() throws Exception {
        Configuration hadoop = ClientConfiguration.hdfs(config);
        hadoop.setInt("dfs.client.retry.window.base", 10); // a block that is nowhere is asked for again, after 3 s
        owner = HdfsStores.open(config, hadoop, Durability.FLUSH);
        next = HdfsStores.open(config, hadoop, Durability.FLUSH);
        files = (DistributedFileSystem) FileSystem.newInstance(hadoop);
    }

    @AfterEach
    void close() throws IOException {
        files.close();
        next.close();
        owner.close();
    }

    private static byte[] record(int number) {
        return String.format(Locale.ROOT, "%-" + RECORD_BYTES + "d", number).getBytes(StandardCharsets.UTF_8);
    }

    private SegmentWriter write() throws Exception {
        SegmentWriter writer = owner.create(NAME);
        for (int i = 0; i < RECORDS; i++) {
            writer.append(List.of(ByteBuffer.wrap(record(i)))).join();
        }
        return writer;
    }

    private void assertWhole(JournaledSegmentStore store) throws StorageException {
        ByteBuffer target = ByteBuffer.allocate(2 * ALL_BYTES);
        assertThat(store.read(NAME, 0, target)).isEqualTo(ALL_BYTES);
        for (int i = 0; i < RECORDS; i++) {
            byte[] found = new byte[RECORD_BYTES];
            target.get(i * RECORD_BYTES, found);
            assertThat(found).isEqualTo(record(i));
        }
    }

    /** The file's block on the disks of so many DataNodes. */
    private List<java.nio.file.Path> replicas(Path file, int count) throws IOException {
        String block = files.getClient()
                .getLocatedBlocks(file.toUri().getPath(), 0)
                .get(0)
                .getBlock()
                .getBlockName();
        List<java.nio.file.Path> found = new ArrayList<>();
        Files.walkFileTree(data, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(java.nio.file.Path file, BasicFileAttributes attributes) {
                if (file.getFileName().toString().equals(block)) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }

            /** A DataNode deletes blocks of other tests meanwhile. */
            @Override
            public FileVisitResult visitFileFailed(java.nio.file.Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }
        });
        assertThat(found).hasSize(3);
        return found.stream().sorted().limit(count).toList();
    }

    private static void flip(List<java.nio.file.Path> replicas, long position) throws IOException {
        for (java.nio.file.Path replica : replicas) {
            try (RandomAccessFile file = new RandomAccessFile(replica.toFile(), "rw")) {
                file.seek(position);
                int before = file.read();
                assertThat(before).isNotNegative();
                file.seek(position);
                file.write(before ^ 4);
            }
        }
    }

    private Path firstJournalWithBatches() throws IOException {
        for (var session : files.listStatus(paths.journals())) {
            for (var file : files.listStatus(session.getPath())) {
                if (!files.getClient()
                        .getLocatedBlocks(file.getPath().toUri().getPath(), 0)
                        .getLocatedBlocks()
                        .isEmpty()) {
                    return file.getPath();
                }
            }
        }
        throw new IOException("no journal has a block");
    }

    private static Path fenced(Path journal) {
        return new Path(journal.getParent() + ".fenced", journal.getName());
    }

    @Test
    void sealedSegmentIsReadFromTheReplicaThatIsLeft() throws Exception {
        write().seal();
        owner.saveIndex(NAME, new byte[] {1});

        flip(replicas(paths.first(NAME), 2), MIDDLE);

        assertThat(next.recover(NAME)).isEqualTo(ALL_BYTES);
        assertWhole(next);
    }

    @Test
    void sealedSegmentWithoutAGoodReplicaIsRefusedAndReadAgainOnceItIsRepaired() throws Exception {
        write().seal();
        owner.saveIndex(NAME, new byte[] {1});
        List<java.nio.file.Path> replicas = replicas(paths.first(NAME), 3);

        flip(replicas, MIDDLE);

        assertThat(next.recover(NAME)).isEqualTo(ALL_BYTES);
        assertThatThrownBy(() -> next.read(NAME, 0, ByteBuffer.allocate(ALL_BYTES)))
                .isInstanceOf(StorageException.class);
        flip(replicas, MIDDLE);
        assertWhole(next);
    }

    @Test
    void journalWithoutAGoodReplicaIsRefusedAndReplayedOnceItIsRepaired() throws Exception {
        SegmentWriter writer = write();
        Path journal = firstJournalWithBatches();
        long middle = Files.size(replicas(journal, 1).get(0)) / 2;
        flip(replicas(journal, 3), middle);

        assertThatThrownBy(() -> next.recover(NAME)).isInstanceOf(StorageException.class);
        flip(replicas(fenced(journal), 3), middle);

        assertThat(next.recover(NAME)).isEqualTo(ALL_BYTES);
        assertWhole(next);
        writer.close();
    }

    /** The copy in the segment is damaged where the owner is not done with it; the journal was not read before. */
    @Test
    void openSegmentWithoutAGoodReplicaIsNotTakenForAShorterOne() throws Exception {
        SegmentWriter writer = write();
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .until(() -> Files.size(replicas(paths.first(NAME), 1).get(0)) >= ALL_BYTES);
        flip(replicas(paths.first(NAME), 3), MIDDLE);

        assertThatThrownBy(() -> {
                    assertThat(next.recover(NAME)).isEqualTo(ALL_BYTES);
                    assertWhole(next);
                })
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE));
        writer.close();
    }

    /** Damage that HDFS knows nothing of: its checksums are those of the damaged bytes. */
    @Test
    void journalThatIsDamagedInTheMiddleBeforeHdfsGotItIsRefused() throws Exception {
        SegmentWriter writer = write();
        Path journal = firstJournalWithBatches();
        Path taken = fenced(journal);
        files.rename(journal.getParent(), taken.getParent());
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> files.recoverLease(taken));
        byte[] bytes;
        try (var in = files.open(taken)) {
            bytes = in.readAllBytes();
        }
        bytes[bytes.length / 2] ^= 4;
        try (FSDataOutputStream out = files.create(taken, true)) {
            out.write(bytes);
        }

        assertThatThrownBy(() -> next.recover(NAME))
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CORRUPT));
        assertThat(files.exists(taken)).isTrue();
        writer.close();
    }
}
