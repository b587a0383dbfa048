// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.common.error.TalosException;
import org.talos.server.log.Block;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.Put;
import org.talos.server.log.PutTicket;
import org.talos.server.log.SegmentCatalog;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.metadata.rows.partition.SegmentRecord;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.testing.GatedSegmentStore;
import org.talos.server.testing.MemorySegmentStore;
import org.talos.server.testing.SmallLogs;

/** Two owners of one partition, one after the other, on one store and one row. */
@Timeout(60)
class RowCatalogTest {
    private static final LogId ID = new LogId("0123456789abcdef0123456789abcdef", 0);

    @TempDir
    private Path data;

    private final ExecutorService openings = Executors.newCachedThreadPool();
    private final MemorySegmentStore files = new MemorySegmentStore();
    private MetadataStore store;
    private Partitions rows;

    @BeforeEach
    void open() throws Exception {
        store = RocksDbMetadataStore.open(data);
        rows = new Partitions(store);
    }

    @AfterEach
    void close() {
        openings.shutdownNow();
        store.close();
    }

    private PartitionLog opened(SegmentStore segments, String owner) throws Exception {
        PartitionLog.Parts parts = SmallLogs.parts(openings, () -> 0);
        RowCatalog catalog = RowCatalog.takeOver(ID, rows, rows.find(ID.topicId(), ID.partition()), owner);
        return PartitionLog.open(
                ID, segments, catalog, () -> SegmentOptions.DEFAULT, SmallLogs.CONFIG, parts, () -> {});
    }

    private static PutTicket append(PartitionLog log, String text) {
        Block block = new Block(1, 0, 0, ByteBuffer.allocate(0), ByteBuffer.wrap(text.getBytes(UTF_8)));
        return log.append(List.of(new Put("p#" + text, Put.Origin.UNIQUE, List.of(block))))
                .get(0);
    }

    private List<SegmentRecord> segments() throws Exception {
        return rows.find(ID.topicId(), 0).orElseThrow().value().segments();
    }

    @Test
    void ownerWhoseSegmentIsMadeAfterATakeoverAcknowledgesNothing() throws Exception {
        GatedSegmentStore slow = new GatedSegmentStore(files);
        PartitionLog earlier = opened(slow, "a");
        GatedSegmentStore.Gate create = slow.shutCreates();
        PutTicket lost = append(earlier, "lost");
        create.awaitCaller(); // its row is written, its file not made yet …

        PartitionLog later = opened(files, "b"); // … and the next owner finds a row without a file
        assertThat(append(later, "first").firstOffset().join()).isZero();
        create.open();

        assertThatThrownBy(() -> lost.firstOffset().join()).hasCauseInstanceOf(TalosException.class);
        assertThat(append(later, "second").firstOffset().join()).isEqualTo(1);
        earlier.close();
        assertThat(files.list(ID)).as("the unused file is deleted").hasSize(1);
    }

    @Test
    void rowSaysHowFarASegmentHasCome() throws Exception {
        GatedSegmentStore slow = new GatedSegmentStore(files);
        PartitionLog log = opened(slow, "a");
        GatedSegmentStore.Gate create = slow.shutCreates();
        PutTicket put = append(log, "first");
        create.awaitCaller();
        assertThat(segments()).extracting(SegmentRecord::state).containsExactly(SegmentRecord.State.PLANNED);

        create.open();
        put.firstOffset().join();
        assertThat(segments()).extracting(SegmentRecord::state).containsExactly(SegmentRecord.State.MADE);

        log.close();
        assertThat(segments()).extracting(SegmentRecord::state).containsExactly(SegmentRecord.State.SEALED);
    }

    @Test
    void segmentIsOverOnceAnotherHasSealedItOrTheRowIsGone() throws Exception {
        RowCatalog first = RowCatalog.takeOver(ID, rows, rows.find(ID.topicId(), 0), "first");
        SegmentName name = new SegmentName(ID, 0, first.epoch());
        first.add(name);
        first.made(name);
        assertThat(first.isOver(name)).isFalse();

        RowCatalog second = RowCatalog.takeOver(ID, rows, rows.find(ID.topicId(), 0), "second");
        assertThat(first.isOver(name)).isFalse(); // it may still be read from this server's journal
        second.seal(SegmentCatalog.Known.sealed(name, 7, 70, 700));
        assertThat(first.isOver(name)).isTrue();

        rows.delete(ID.topicId(), 0);
        assertThat(first.isOver(name)).isTrue();
    }

    @Test
    void catalogThatHasReleasedItsPartitionChangesNothingAnyMore() throws Exception {
        RowCatalog catalog = RowCatalog.takeOver(ID, rows, rows.find(ID.topicId(), ID.partition()), "a");
        catalog.release();
        catalog.release();

        assertThatThrownBy(() -> catalog.add(new SegmentName(ID, 0, 1)))
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.FENCED));
        assertThat(segments()).isEmpty();
        assertThat(rows.find(ID.topicId(), 0).orElseThrow().value().owner()).isEmpty();
    }
}
