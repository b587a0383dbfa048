// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.talos.server.config.HdfsConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.log.Block;
import org.talos.server.log.BlockLimits;
import org.talos.server.log.MemoryCatalog;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.Put;
import org.talos.server.log.PutTicket;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.journal.JournaledSegmentStore;
import org.talos.server.testing.SmallLogs;

/**
 * Tests the segments that a server was writing when another one fenced its journals: their keeper, and for how long.
 */
@Isolated // counts the threads of all journals
@Timeout(60)
class FencedSegmentsTest {
    private static final LogId LOG = new LogId("0123456789abcdef0123456789abcdef", 0);
    private static final HdfsConfig CONFIG = TestConfig.of(HdfsConfig.class)
            .with("root", "/talos")
            .with("journals", 1)
            .with("replication", 1)
            .with("blockBytes", 1 << 20)
            .with("recoveriesAtOnce", 8)
            .create();
    private static final HdfsListener NOBODY = (bytes, write, sync) -> {};

    private final MemoryHdfs files = new MemoryHdfs();
    private final MemoryCatalog row = new MemoryCatalog();
    private final List<JournaledSegmentStore> stores = new ArrayList<>();

    @BeforeEach
    void makeRoot() {
        files.mkdirs(new Path("/talos"));
    }

    @AfterEach
    void close() {
        files.onCreate(path -> {});
        stores.forEach(JournaledSegmentStore::close);
    }

    private JournaledSegmentStore open() throws Exception {
        Hdfs hdfs = new Hdfs(files, 1 << 20, Duration.ofSeconds(30), SystemTime.ticker(), NOBODY);
        JournaledSegmentStore store =
                HdfsSegmentStore.open(hdfs, CONFIG, SmallLogs.CONFIG, SystemTime.ticker(), NOBODY, new SystemThreads());
        stores.add(store);
        return store;
    }

    private PartitionLog log(JournaledSegmentStore store) throws StorageException {
        return PartitionLog.open(
                LOG,
                store,
                row.takeOver(),
                () -> SegmentOptions.DEFAULT,
                SmallLogs.CONFIG,
                SmallLogs.onCallersThread(SystemTime.ticker()),
                () -> {});
    }

    private static PutTicket put(PartitionLog log, String text) {
        ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(UTF_8));
        Block block = new Block(1, 0, 7, ByteBuffer.allocate(0), bytes);
        return log.append(List.of(new Put("p#" + text, Put.Origin.UNIQUE, List.of(block))))
                .get(0);
    }

    private static String read(PartitionLog log, long offset) {
        return UTF_8.decode(
                        log.read(offset, new BlockLimits(1, 1)).blocks().get(0).bytes())
                .toString();
    }

    private static String text(JournaledSegmentStore store, SegmentName name) throws StorageException {
        ByteBuffer target = ByteBuffer.allocate(100);
        store.read(name, 0, target);
        return UTF_8.decode(target.flip()).toString();
    }

    /** Of the one segment that there is nothing is copied into a file from now on; returns how often it was tried. */
    private AtomicInteger keepInMemory() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        files.onCreate(path -> {
            if (path.toString().contains(LOG.topicId()) && !path.getName().contains(".recovered.")) {
                tries.incrementAndGet();
                throw new IllegalStateException("made to fail");
            }
        });
        files.expireLease(files.files("/talos/segments").get(0));
        return tries;
    }

    private static long journalThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().matches("talos-journal-[0-9]+"))
                .count();
    }

    @Test
    void segmentOfAFencedSessionIsKeptUntilItsLogIsReadNoMoreAndThenTheSessionEnds() throws Exception {
        JournaledSegmentStore paused = open();
        JournaledSegmentStore next = open();
        PartitionLog log = log(paused);
        put(log, "some").firstOffset().join();
        keepInMemory();
        put(log, "kept").firstOffset().join();
        next.recover(row.segments().get(0).name());
        files.onCreate(path -> {});
        assertThatThrownBy(() -> put(log, "late").firstOffset().join()).hasMessageContaining("storage failed");
        long threads = journalThreads();
        assertThat(threads).isPositive();
        SegmentWriter ofAnotherLog = paused.create(new SegmentName(new LogId(LOG.topicId(), 1), 0, 1));
        assertThat(journalThreads()).as("another session has begun").isGreaterThan(threads);

        log.endAppends();

        assertThat(paused.unwrittenBytes()).as("it may be read").isPositive();
        assertThat(read(log, 1)).isEqualTo("kept");
        log.endReads();
        await().untilAsserted(() -> assertThat(paused.unwrittenBytes()).isZero());
        await().untilAsserted(() -> assertThat(journalThreads()).isLessThanOrEqualTo(threads));
        PartitionLog ofNext = log(next);
        assertThat(ofNext.durableEnd()).isEqualTo(2);
        assertThat(read(ofNext, 1)).isEqualTo("kept");
        ofNext.close();
        ofAnotherLog.close();
    }

    /** Its log is closed for another owner, who has not sealed anything yet. */
    @Test
    void segmentOfASessionThatNobodyKnewToBeFencedIsAbandonedToo() throws Exception {
        JournaledSegmentStore paused = open();
        JournaledSegmentStore next = open();
        PartitionLog log = log(paused);
        put(log, "kept").firstOffset().join();
        next.recover(row.segments().get(0).name());

        log.close();

        await().untilAsserted(() -> assertThat(paused.unwrittenBytes()).isZero());
        PartitionLog ofNext = log(next);
        assertThat(read(ofNext, 0)).isEqualTo("kept");
        ofNext.close();
    }

    @Test
    void segmentThatNobodyHasFencedIsKeptUntilItsBytesAreWhereTheyBelong() throws Exception {
        JournaledSegmentStore store = open();
        SegmentName name = new SegmentName(LOG, 0, 1);
        SegmentWriter writer = store.create(name);
        AtomicInteger tries = keepInMemory();
        writer.append(List.of(ByteBuffer.wrap("kept".getBytes(UTF_8)))).join();
        writer.close();

        store.endReads(LOG, 1);

        int before = tries.get();
        await().until(() -> tries.get() > before + 1);
        assertThat(store.unwrittenBytes()).isEqualTo(4);
        assertThat(text(store, name)).isEqualTo("kept");
        files.onCreate(path -> {});
        assertThat(store.recover(name)).isEqualTo(4);
        assertThat(store.unwrittenBytes()).isZero();
        assertThat(text(store, name)).isEqualTo("kept");
    }
}
