// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.runtime.thread.BackgroundPool;
import org.talos.server.runtime.time.SystemTime;

/** HDFS hangs in one kind of call: the others continue. */
@Timeout(60)
class HdfsBulkheadsTest {
    private static final Path FILE = new Path("/talos/file");

    private final CountDownLatch gate = new CountDownLatch(1);
    private final HangingFiles files = new HangingFiles();
    private final Map<String, BackgroundPool> pools = new HashMap<>();
    private final Hdfs hdfs = new Hdfs(files, 1 << 20, Duration.ofSeconds(30), SystemTime.ticker(), new HdfsListener() {
        @Override
        public void poolMade(BackgroundPool pool) {
            pools.put(pool.role(), pool);
        }

        @Override
        public void batchSynced(long bytes, long writeNanos, long syncNanos) {}
    });

    @AfterEach
    void end() {
        gate.countDown();
        hdfs.close();
    }

    private void hang() {
        try {
            gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Has every file closed, but those whose lease nobody gives back. */
    private final class HangingFiles extends DistributedFileSystem {
        private final Set<String> fenced = Collections.newSetFromMap(new ConcurrentHashMap<>());
        private volatile boolean leasesHang;
        private volatile boolean broken;

        @Override
        public boolean isFileClosed(Path path) {
            return fenced.contains(path.getName());
        }

        @Override
        public boolean recoverLease(Path path) {
            if (leasesHang) {
                hang();
            }
            return fenced.add(path.getName());
        }

        @Override
        public FileStatus getFileStatus(Path path) {
            if (broken) {
                throw new IllegalStateException("broken on purpose");
            }
            return new FileStatus(0, true, 1, 1, 0, path);
        }

        @Override
        public void close() {}
    }

    private FSDataOutputStream hangingStream() {
        OutputStream hanging = new OutputStream() {
            @Override
            public void write(int each) {}

            @Override
            public void close() {
                hang();
            }
        };
        return new FSDataOutputStream(hanging, null);
    }

    private void hangInCloses(int count) {
        for (int i = 0; i < count; i++) {
            hdfs.abandon(hangingStream(), FILE);
        }
        await().until(() -> pool("closes").running() == 8);
    }

    private BackgroundPool pool(String kind) {
        return Objects.requireNonNull(pools.get("hdfs-" + kind));
    }

    @Test
    void closesThatHangHoldUpNeitherFencesNorTheProbeNorTheNextJournalFile() throws Exception {
        hangInCloses(20);

        hdfs.all(List.of(() -> hdfs.fence(new Path("/a")), () -> hdfs.fence(new Path("/b"))), () -> {});
        assertThat(files.fenced).containsExactlyInAnyOrder("a", "b");

        CountDownLatch prepared = new CountDownLatch(1);
        hdfs.prepareLater(prepared::countDown);
        prepared.await();

        HdfsProbe probe = new HdfsProbe(hdfs, FILE, Duration.ofSeconds(5), SystemTime.ticker());
        assertThat(probe.failure()).isEmpty();
        await().until(() -> pool("probe").getCompletedTaskCount() == 1);
        assertThat(probe.failure()).isEmpty();
    }

    @Test
    void probeThatFailedAsksAgain() {
        AtomicLong nanos = new AtomicLong();
        HdfsProbe probe = new HdfsProbe(hdfs, FILE, Duration.ofSeconds(5), nanos::get);
        files.broken = true;
        assertThat(probe.failure()).isEmpty();
        await().until(() -> pool("probe").getCompletedTaskCount() == 1);

        files.broken = false;
        nanos.addAndGet(Duration.ofSeconds(6).toNanos());
        assertThat(probe.failure())
                .hasValueSatisfying(reason -> assertThat(reason).contains("broken on purpose"));
        await().until(() -> pool("probe").getCompletedTaskCount() == 2);

        assertThat(probe.failure()).isEmpty();
    }

    @Test
    void fencesThatHangHoldUpNeitherClosesNorTheProbe() throws Exception {
        files.leasesHang = true;
        Thread takeover = new Thread(() -> {
            try {
                hdfs.all(Collections.nCopies(20, () -> hdfs.fence(new Path("/a"))), () -> {});
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        takeover.start();
        await().until(() -> pool("fences").running() == 8);

        CountDownLatch closed = new CountDownLatch(1);
        hdfs.closeLater(closed::countDown);
        closed.await();
        CountDownLatch asked = new CountDownLatch(1);
        hdfs.ask(asked::countDown);
        asked.await();

        gate.countDown();
        takeover.join();
    }

    @Test
    void nothingIsStillUnderWayWhenWhatIsDoneMeanwhileHasFailed() {
        AtomicLong meanwhile = new AtomicLong();
        AtomicBoolean done = new AtomicBoolean();
        Hdfs.Work work = () -> {
            hang();
            done.set(true);
        };

        assertThatThrownBy(() -> hdfs.all(List.of(work), () -> {
                    if (meanwhile.incrementAndGet() == 2) {
                        gate.countDown();
                    }
                    throw new IOException("failed on purpose " + meanwhile);
                }))
                .hasMessage("failed on purpose 1");

        assertThat(done).isTrue();
    }

    @Test
    void whatIsMoreThanMayWaitIsRefusedAndNotQueuedForEver() throws Exception {
        hangInCloses(8); // all threads first: what they are to take counts as waiting until they do
        hangInCloses(1_000);
        assertThat(pool("closes").waiting()).isEqualTo(1_000);

        hdfs.abandon(hangingStream(), FILE);

        assertThat(pool("closes").waiting()).isEqualTo(1_000);
        assertThat(pool("closes").refused()).isEqualTo(1);
    }

    @Test
    void takeoverIsRefusedOnceTooManyFencesWait() {
        files.leasesHang = true;
        List<Hdfs.Work> tooMany = Collections.nCopies(20_000, () -> hdfs.fence(new Path("/a")));
        Thread opener = new Thread(() -> {
            await().until(() -> pool("fences").refused() == 1);
            gate.countDown();
        });
        opener.start();

        assertThatThrownBy(() -> hdfs.all(tooMany, () -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("pool hdfs-fences is full");
    }
}
