// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSClient;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.OpenFilesIterator.OpenFilesType;
import org.apache.hadoop.ipc.RemoteException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.Parts;
import org.talos.devcluster.WithDevCluster;
import org.talos.server.config.HdfsConfig;
import org.talos.server.hadoop.ClientConfiguration;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.storage.hdfs.client.WrittenFile;

/**
 * A file that is opened again to be synced, while the NameNode is still asked for the end of the stream that wrote it.
 */
@WithDevCluster(Parts.HDFS)
@Timeout(120)
class ReopenedFilesIT {
    private static final byte[] BYTES = "acknowledged".getBytes(StandardCharsets.UTF_8);
    private static final int SYNCS = 3;

    private final ExecutorService threads = Executors.newSingleThreadExecutor();
    private final Path file;
    private final Hdfs hdfs;
    private final DistributedFileSystem other;

    ReopenedFilesIT(DevCluster cluster) throws IOException {
        HdfsConfig config = HdfsStores.config(cluster, "/reopened-" + UUID.randomUUID());
        Configuration hadoop = ClientConfiguration.hdfs(config);
        var unused = HdfsRoot.prepare(config);
        Path root = new Path(config.root());
        file = new Path(root, "file");
        hdfs = Hdfs.connect(
                root, hadoop, 1 << 20, Duration.ofSeconds(30), SystemTime.ticker(), (bytes, write, sync) -> {});
        other = (DistributedFileSystem) FileSystem.newInstance(root.toUri(), hadoop);
    }

    @BeforeEach
    void makeDirectory() throws IOException {
        hdfs.makeDirectory(file.getParent());
    }

    @AfterEach
    void close() throws IOException {
        threads.shutdownNow();
        other.close();
        hdfs.close();
    }

    /** Asks for the end of the stream, as its client does once more. Returns false if the NameNode refuses it. */
    private static boolean isEnded(DFSClient caller, Path path, String writer, ExtendedBlock last, long fileId)
            throws IOException {
        try {
            return caller.getNamenode().complete(path.toUri().getPath(), writer, last, fileId);
        } catch (RemoteException e) {
            return false;
        }
    }

    @Test
    void lateEndOfTheStreamThatWroteTheFileDoesNotEndTheOneThatSyncsIt() throws Exception {
        WrittenFile out = hdfs.create(file, 1);
        out.write(BYTES);
        out.hsync();
        String writer = other.listOpenFiles(EnumSet.of(OpenFilesType.ALL_OPEN_FILES), file.toString())
                .next()
                .getClientName();
        out.close();
        DFSClient caller = other.getClient();
        long fileId = caller.getFileInfo(file.toUri().getPath()).getFileId();
        int refused = 0;

        for (int i = 0; i < SYNCS; i++) {
            ExtendedBlock last = caller.getLocatedBlocks(file.toUri().getPath(), 0)
                    .getLastLocatedBlock()
                    .getBlock();
            CompletableFuture<Boolean> synced = CompletableFuture.supplyAsync(this::isSyncedAtOnce, threads);
            while (!synced.isDone()) {
                refused += isEnded(caller, file, writer, last, fileId) ? 0 : 1;
            }
            assertThat(synced.get()).isTrue();
        }

        assertThat(refused).as("of those that came while the file was open").isPositive();
        assertThat(hdfs.head(file, BYTES.length).array()).isEqualTo(BYTES);
    }

    private boolean isSyncedAtOnce() {
        try {
            hdfs.fenceAndSync(file);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
