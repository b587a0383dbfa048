// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.talos.server.config.Durability;
import org.talos.server.config.HdfsConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.journal.JournalFormat;
import org.talos.server.storage.journal.JournaledSegmentStore;
import org.talos.server.storage.journal.StoredFile;

/** Tests files that are prepared in advance; the test's thread prepares them when it is asked to. */
class PreparedFilesTest {
    private static final Path SESSION = new Path("/session");
    private static final Path FIRST = HdfsPaths.journal(SESSION, 0, 1);
    private static final Path SECOND = HdfsPaths.journal(SESSION, 0, 2);
    private static final Path THIRD = HdfsPaths.journal(SESSION, 0, 3);
    private static final int HEADER = JournalFormat.FILE_HEADER_BYTES;

    private final MemoryHdfs files = new MemoryHdfs();
    private Executor later = Runnable::run;
    private final Hdfs hdfs = new Hdfs(
            new Hdfs.Clients(files, files),
            1 << 20,
            Duration.ofSeconds(30),
            SystemTime.ticker(),
            (bytes, write, sync) -> {},
            new SystemThreads(),
            (role, most, maxWaiting) -> onCallersThread());
    private final LaneFiles lane = new LaneFiles(hdfs, SESSION, 0, 1, Durability.FLUSH);

    private ExecutorService onCallersThread() {
        return new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new ArrayBlockingQueue<>(1)) {
            @Override
            public void execute(Runnable work) {
                later.execute(work);
            }
        };
    }

    @BeforeEach
    void make() {
        files.mkdirs(SESSION);
    }

    private StoredFile begin(long number) throws IOException {
        return lane.begin(number, header(number));
    }

    private static ByteBuffer header(long number) {
        return JournalFormat.fileHeader(number, number - 1, 100, 7, true);
    }

    private void assertThatOnlyTheSecondFileIsBegun() throws IOException {
        try (FSDataInputStream in = files.open(SECOND, 512)) {
            assertThat(in.readAllBytes()).isEqualTo(header(2).array());
        }
        assertThat(files.files("/session")).containsExactly(FIRST.toString(), SECOND.toString(), THIRD.toString());
        assertThat(files.getFileStatus(THIRD).getLen()).isLessThan(HEADER);
    }

    /**
     * DataNodes that connect to each other take longer than any flush, and all partitions wait for a journal's file.
     */
    @Test
    void fileHasItsDataNodesBeforeItIsNeeded() throws Exception {
        begin(1);
        assertThat(files.flushed(SECOND)).isPositive();
        int made = files.calls().getOrDefault("create", 0);

        StoredFile second = begin(2);
        second.sync();

        assertThat(files.calls().getOrDefault("create", 0))
                .as("besides the third")
                .isEqualTo(made + 1);
        assertThat(second.size()).isEqualTo(HEADER);
        assertThat(files.flushed(SECOND)).isEqualTo(HEADER);
        assertThatOnlyTheSecondFileIsBegun();
    }

    @Test
    void fileThatHasLostADataNodeBeforeItIsNeededIsMadeAgain() throws Exception {
        begin(1);

        files.loseDataNode();
        StoredFile second = begin(2);
        second.sync();

        assertThat(second.isDegraded()).isFalse();
        assertThatOnlyTheSecondFileIsBegun();
    }

    /** The works of others took so long that the number was begun before. */
    @Test
    void fileIsNotMadeInAdvanceOnceItsTimeHasCome() throws Exception {
        List<Runnable> held = new ArrayList<>();
        later = held::add;
        begin(1);
        begin(2);
        int made = files.calls().getOrDefault("create", 0);

        held.get(0).run();

        assertThat(files.calls().getOrDefault("create", 0)).isEqualTo(made);
        assertThat(files.files("/session")).containsExactly(FIRST.toString(), SECOND.toString());
    }

    /** Its number is never begun. */
    @Test
    void fileThatCouldNotGoAsideIsDeleted() throws Exception {
        begin(1);
        files.loseDataNode();
        files.onRename(path -> {
            throw new IOException("the NameNode does not answer");
        });

        assertThatThrownBy(() -> begin(2)).hasMessage("the NameNode does not answer");

        assertThat(files.files("/session")).containsExactly(FIRST.toString());
    }

    /** A server that dies before it needs it would leave a file that nobody can close, if the disks were full. */
    @Test
    void fileWhoseDataNodesCouldNotBeReachedIsDeletedAtOnceAndMadeWhenItIsNeeded() throws Exception {
        files.onFlush(path -> {
            throw new IOException("no DataNode");
        });
        begin(1);
        assertThat(files.files("/session")).containsExactly(FIRST.toString());
        files.onFlush(path -> {});

        begin(2).sync();

        assertThatOnlyTheSecondFileIsBegun();
    }

    /** All partitions of a journal would wait for another block. */
    @Test
    void journalFileEndsWithinItsBlock() throws Exception {
        int block = 64 << 10;
        files.mkdirs(new Path("/talos"));
        HdfsConfig config = TestConfig.of(HdfsConfig.class)
                .with("root", "/talos")
                .with("journals", 1)
                .with("replication", 1)
                .with("blockBytes", block)
                .with("recoveriesAtOnce", 8)
                .create();
        assertThat(HdfsSegmentFilesTest.LOG_CONFIG.journalFileBytes()).isEqualTo(block);

        try (JournaledSegmentStore store = HdfsSegmentStore.open(
                hdfs,
                config,
                HdfsSegmentFilesTest.LOG_CONFIG,
                SystemTime.ticker(),
                (bytes, write, sync) -> {},
                new SystemThreads())) {
            SegmentWriter writer = store.create(new SegmentName(new LogId("0".repeat(32), 0), 0, 1));
            for (int i = 0; i < 20; i++) {
                writer.append(List.of(ByteBuffer.allocate(10_000))).join();
            }
        }

        assertThat(files.everFlushed("/talos/journals"))
                .hasSizeGreaterThan(5)
                .allMatch(size -> size <= block)
                .anyMatch(size -> size > block / 2);
    }

    @ParameterizedTest
    @CsvSource({"134217728, 117440512", "33554432, 16777216", "65536, 32768"})
    void journalFileEndsABatchOrTwoBeforeItsBlock(long block, long full) {
        assertThat(HdfsSegmentFiles.withinBlock(block)).isEqualTo(full);
    }
}
