// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.util.Progressable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.config.Durability;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.journal.Journal;
import org.talos.server.storage.journal.OpenSegment;
import org.talos.server.storage.journal.SegmentCopier;
import org.talos.server.testing.MemorySegmentStore.Gate;

@Timeout(60)
class SessionsTest {
    private static final HdfsListener NOBODY = new HdfsListener() {
        @Override
        public void batchSynced(long bytes, long writeNanos, long syncNanos) {}

        @Override
        public void sessionBegun() {}

        @Override
        public void sessionReplayed(long bytes, long fenceNanos, long replayNanos) {}

        @Override
        public void leaseRecovered(long nanos) {}

        @Override
        public void bytesRead(long bytes, long nanos) {}
    };

    private static volatile Consumer<Path> onCreate = path -> {};
    private static final BlockingQueue<String> DELETED = new LinkedBlockingQueue<>();

    private final SegmentCopier copier = new SegmentCopier(
            1 << 20,
            0,
            1,
            new SegmentCopier.Segments(List::of, segment -> {}, segment -> {}),
            () -> 0,
            new SystemThreads());
    private Hdfs hdfs;
    private Sessions sessions;

    /** A file system whose files are memory that nobody reads. Thread-safe. */
    public static final class WrittenOnly extends DistributedFileSystem {
        @Override
        public void initialize(URI uri, Configuration conf) {
            setConf(conf);
        }

        @Override
        public URI getUri() {
            return URI.create("hdfs://test");
        }

        @Override
        public Path makeQualified(Path path) {
            return path;
        }

        @Override
        public FSDataOutputStream createNonRecursive(
                Path path,
                FsPermission permission,
                EnumSet<CreateFlag> flags,
                int bufferSize,
                short replication,
                long blockSize,
                @Nullable Progressable progress)
                throws IOException {
            return create(path);
        }

        @Override
        public FSDataOutputStream create(Path path) throws IOException {
            onCreate.accept(path);
            return new FSDataOutputStream(new ByteArrayOutputStream(), null);
        }

        @Override
        public boolean mkdirs(Path path) {
            return true;
        }

        @Override
        public boolean exists(Path path) {
            return true;
        }

        @Override
        public boolean delete(Path path, boolean recursive) {
            DELETED.add(String.valueOf(path));
            return true;
        }

        @Override
        public boolean isFileClosed(Path path) {
            return true;
        }

        @Override
        public void close() {}
    }

    @BeforeEach
    void open() throws IOException {
        Configuration hadoop = new Configuration(false);
        hadoop.set("fs.hdfs.impl", WrittenOnly.class.getName());
        Path root = new Path("hdfs://test/talos");
        hdfs = Hdfs.connect(root, hadoop, 1 << 20, Duration.ofSeconds(5), () -> 0, NOBODY);
        HdfsPaths paths = new HdfsPaths(root);
        SegmentFile.Maker maker = new SegmentFile.Maker(hdfs, new ReadStreams(hdfs), paths, 1, Durability.FLUSH);
        sessions = new Sessions(
                maker,
                1,
                new SecureRandom(),
                NOBODY,
                lane -> new Journal(
                        lane,
                        1,
                        1 << 20,
                        () -> 0,
                        NOBODY,
                        new Journal.Callbacks(() -> {}, copier::release),
                        new SystemThreads()),
                copier);
        sessions.start();
        DELETED.clear();
    }

    @AfterEach
    void close() {
        onCreate = path -> {};
        sessions.stop();
        hdfs.close();
    }

    private OpenSegment create(int partition) {
        try {
            SegmentName name = new SegmentName(new LogId("0".repeat(32), partition), 0, 1);
            return sessions.create(name, SegmentOptions.DEFAULT, segment -> 0);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void sessionKeepsItsJournalsWhileASegmentIsMadeForIt() throws Exception {
        OpenSegment first = create(1);
        Gate gate = new Gate();
        onCreate = path -> {
            if (path.toString().endsWith(".journal")) {
                throw new IllegalStateException("made to fail");
            }
            if (path.toString().contains("/2/")) {
                gate.pass();
            }
        };
        CompletableFuture<OpenSegment> second = CompletableFuture.supplyAsync(() -> create(2));
        gate.awaitCaller();
        first.writer()
                .append(List.of(ByteBuffer.allocate(1)))
                .handle((done, error) -> error)
                .join();
        long failed = sessions.journals().size();
        OpenSegment ofTheNext = create(3);
        assertThat(sessions.journals()).hasSize((int) (2 * failed)); // another session has begun

        first.close(); // the last that was made in the failed session

        assertThat(sessions.journals()).hasSize((int) (2 * failed));
        gate.open();
        second.join().close();
        assertThat(sessions.journals()).hasSize((int) failed);
        assertThat(DELETED.poll(20, TimeUnit.SECONDS)).contains("/journals/");
        ofTheNext.close();
    }

    @Test
    void whileTheNextSessionIsBegunNobodyWaitsButWhoNeedsIt() throws Exception {
        OpenSegment first = create(1);
        Gate gate = new Gate();
        onCreate = path -> {
            if (path.toString().endsWith(".journal")) {
                throw new IllegalStateException("made to fail");
            }
            if (path.toString().endsWith("/owner")) {
                gate.pass();
            }
        };
        first.writer()
                .append(List.of(ByteBuffer.allocate(1)))
                .handle((done, error) -> error)
                .join();
        int before = sessions.journals().size();
        CompletableFuture<OpenSegment> second = CompletableFuture.supplyAsync(() -> create(2));
        gate.awaitCaller();

        assertThat(sessions.journals())
                .as("the copier asks for them all the time")
                .hasSize(before);
        assertThat(second).isNotDone();

        gate.open();
        second.join().close();
        assertThat(sessions.journals()).hasSize(2 * before);
        first.close();
    }
}
