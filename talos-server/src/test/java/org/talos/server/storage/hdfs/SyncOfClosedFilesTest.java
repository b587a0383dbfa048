// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.AlreadyBeingCreatedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.runtime.time.SystemTime;

/** A file whose lease was recovered is opened once more, so that DataNodes sync it. */
@Timeout(60)
class SyncOfClosedFilesTest {
    private static final Path FILE = new Path("/file");
    /** As of HDFS 3.4. */
    private static final String AWAY = "append: lastBlock=blk_1_2 of src=/file is not sufficiently replicated yet.";

    private final MemoryHdfs files = new MemoryHdfs();
    private final Hdfs hdfs =
            new Hdfs(files, 1 << 20, Duration.ofSeconds(30), SystemTime.ticker(), (bytes, write, sync) -> {});

    private final ExecutorService threads = Executors.newFixedThreadPool(2);

    @BeforeEach
    void write() throws IOException {
        hdfs.create(FILE, 1).close();
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        hdfs.close();
    }

    private int appends() {
        return files.calls().getOrDefault("append", 0);
    }

    @Test
    void dataNodesThatAreAwayHoldUpNobodyForLong() throws Exception {
        files.onAppend(path -> {
            throw new IOException(AWAY);
        });

        hdfs.fenceAndSync(FILE);

        assertThat(appends()).isGreaterThan(1);
    }

    @Test
    void dataNodeThatHasNotSaidYetWhatItHasIsWaitedFor() throws Exception {
        AtomicInteger refused = new AtomicInteger();
        files.onAppend(path -> {
            if (refused.incrementAndGet() <= 2) {
                throw new IOException(AWAY);
            }
        });

        hdfs.fenceAndSync(FILE);

        assertThat(appends()).isEqualTo(3);
        assertThat(files.isFileClosed(FILE)).isTrue();
    }

    /** It may be fenced by two servers at once, or given up by the one that wrote it. */
    @Test
    void fileWhoseLeaseAnotherServerRecoversMeanwhileIsSyncedAgain() throws Exception {
        AtomicInteger closed = new AtomicInteger();
        files.onClose(path -> {
            if (closed.incrementAndGet() <= 2) {
                files.recoverLease(path);
                throw new IOException("Client (=one) is not the lease owner (=other: /file");
            }
        });

        hdfs.fenceAndSync(FILE);

        assertThat(appends()).isEqualTo(3);
        assertThat(files.isFileClosed(FILE)).isTrue();
    }

    @Test
    void serverThatSyncsTheFileTooIsWaitedFor() throws Exception {
        AtomicInteger refused = new AtomicInteger();
        files.onAppend(path -> {
            if (refused.incrementAndGet() <= 2) {
                throw new AlreadyBeingCreatedException("Failed to APPEND_FILE /file for one: other has it");
            }
        });

        hdfs.fenceAndSync(FILE);

        assertThat(appends()).isEqualTo(3);
        assertThat(files.calls()).doesNotContainKey("recoverLease");
    }

    /** Its server has died. */
    @Test
    void leaseOfAServerThatDoesNotEndIsRecovered() throws Exception {
        AtomicInteger closed = new AtomicInteger();
        files.onClose(path -> {
            if (closed.incrementAndGet() == 1) {
                throw new IOException("Unexpected BlockUCState: blk_1_2 is UNDER_RECOVERY but not UNDER_CONSTRUCTION");
            }
        });

        hdfs.fenceAndSync(FILE);

        assertThat(appends()).isEqualTo(2);
        assertThat(files.isFileClosed(FILE)).isTrue();
    }

    @Test
    void otherFailureIsTheCallers() {
        files.onAppend(path -> {
            throw new IOException("no such luck");
        });

        assertThatThrownBy(() -> hdfs.fenceAndSync(FILE)).hasMessageContaining("no such luck");
    }

    /** The end of the first stream would count as that of the second: the NameNode knows only their client. */
    @Test
    void fileIsOpenedAgainByOneThreadAtATime() throws Exception {
        CountDownLatch closing = new CountDownLatch(1);
        CountDownLatch mayClose = new CountDownLatch(1);
        files.onClose(path -> {
            closing.countDown();
            awaitQuietly(mayClose);
        });
        CompletableFuture<Void> first = CompletableFuture.runAsync(this::sync, threads);
        closing.await();

        CompletableFuture<Void> second = CompletableFuture.runAsync(this::sync, threads);

        await().during(Duration.ofMillis(500)).until(() -> appends() == 1);
        mayClose.countDown();
        first.get();
        second.get();
        assertThat(appends()).isEqualTo(2);
        assertThat(files.calls()).as("leases taken of the first thread").doesNotContainKey("recoverLease");
    }

    /** Its stream's end is refused, because the file was closed and opened again since. */
    @Test
    void writerThatGivesTheFileUpMeanwhileLeavesTheLeaseAlone() throws Exception {
        CountDownLatch closing = new CountDownLatch(1);
        CountDownLatch mayClose = new CountDownLatch(1);
        files.onClose(path -> {
            closing.countDown();
            awaitQuietly(mayClose);
        });
        CompletableFuture<Void> sync = CompletableFuture.runAsync(this::sync, threads);
        closing.await();
        CountDownLatch refused = new CountDownLatch(1);

        hdfs.abandon(new FSDataOutputStream(new RefusedStream(refused), null), FILE);

        refused.await();
        await().during(Duration.ofMillis(500)).until(() -> !files.calls().containsKey("recoverLease"));
        mayClose.countDown();
        sync.get();
        hdfs.syncAbandoned();
        await().untilAsserted(() -> assertThat(appends()).isEqualTo(2));
        assertThat(files.calls()).doesNotContainKey("recoverLease");
    }

    /** A stream whose end the NameNode refuses. */
    private static final class RefusedStream extends OutputStream {
        private final CountDownLatch refused;

        RefusedStream(CountDownLatch refused) {
            this.refused = refused;
        }

        @Override
        public void write(int b) {
            throw new AssertionError("nothing is written");
        }

        @Override
        public void close() throws IOException {
            refused.countDown();
            throw new IOException("Client (=one) is not the lease owner (=other: /file");
        }
    }

    private void sync() {
        try {
            hdfs.fenceAndSync(FILE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
