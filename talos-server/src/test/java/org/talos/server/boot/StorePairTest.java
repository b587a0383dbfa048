// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.StoreIdentity;
import org.talos.server.metadata.rows.partition.PartitionRecord;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.metadata.rows.partition.SegmentRecord;
import org.talos.server.storage.LogsIdentity;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.local.LocalSegmentStore;
import org.talos.server.testing.FailingMetadataStore;

class StorePairTest {
    private static final String FIRST = "0123456789abcdef0123456789abcdef";
    private static final String SECOND = "f".repeat(32);
    private static final String TOPIC = "a".repeat(32);

    @TempDir
    private Path data;

    private FailingMetadataStore store;

    @BeforeEach
    void open() throws Exception {
        store = new FailingMetadataStore(RocksDbMetadataStore.open(data.resolve("metadata")));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private StorePair pair(String logs) {
        return new StorePair(LocalSegmentStore.identity(data.resolve(logs)), store, "the rows");
    }

    private static Supplier<String> id(String id) {
        return () -> id;
    }

    private static String none() {
        throw new AssertionError("no further identity is made");
    }

    private void rowWithASealedSegment() throws MetadataException {
        PartitionRecord row = new PartitionRecord(
                1, "", 0, List.of(SegmentRecord.planned(0, 1).seal(10, 100, 7), SegmentRecord.planned(10, 1)));
        var unused = new Partitions(store).save(TOPIC, 3, row, 0);
    }

    private void segmentFile(String logs) throws Exception {
        Path folder = Files.createDirectories(data.resolve(logs + "/segments/" + TOPIC + "/3"));
        Files.createFile(folder.resolve("0".repeat(20) + "-1.log"));
    }

    @Test
    void logsAndRowsThatAreEmptyGetOneIdentityAndKeepIt() throws Exception {
        assertThat(pair("logs").checkOrGive(id(FIRST))).isEqualTo(FIRST);

        assertThat(pair("logs").checkOrGive(StorePairTest::none)).isEqualTo(FIRST);
        assertThat(pair("logs").check()).isEqualTo(FIRST);
        assertThat(data.resolve("logs/IDENTITY")).hasContent("talos store 1 " + FIRST + "\n");
    }

    @Test
    void otherLogsAreRefusedAndGetNoIdentity() throws Exception {
        var unused = pair("logs").checkOrGive(id(FIRST));

        assertThatThrownBy(() -> pair("others").check()).hasMessageContaining("do not belong together");
        assertThatThrownBy(() -> pair("others").checkOrGive(id(SECOND)))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining(FIRST)
                .hasMessageContaining("hdfs.root");
        assertThat(data.resolve("others")).doesNotExist();
    }

    @Test
    void rowsOfAnotherStoreAreRefused() throws Exception {
        var first = pair("logs").checkOrGive(id(FIRST));
        try (MetadataStore others = RocksDbMetadataStore.open(data.resolve("others"))) {
            StorePair mixed = new StorePair(LocalSegmentStore.identity(data.resolve("logs")), others, "other rows");
            assertThatThrownBy(() -> mixed.checkOrGive(id(SECOND))).hasMessageContaining(first);

            assertThat(new StoreIdentity(others).give(SECOND)).isEqualTo(SECOND);
            assertThatThrownBy(mixed::check).hasMessageContaining(first).hasMessageContaining(SECOND);
        }
    }

    @Test
    void checkAloneGivesNothing() {
        assertThatThrownBy(() -> pair("logs").check()).hasMessageContaining("talos init");
        assertThat(data.resolve("logs")).doesNotExist();
    }

    @Test
    void identityThatWasOnlyBegunIsFinished() throws Exception {
        store.failAfter(0, false);
        assertThatThrownBy(() -> pair("logs").checkOrGive(id(FIRST))).isInstanceOf(MetadataException.class);
        assertThat(data.resolve("logs/IDENTITY")).doesNotExist();
        store.failAfter(0, true); // this time the row is written, and the writer never learns of it
        assertThatThrownBy(() -> pair("logs").checkOrGive(StorePairTest::none)).isInstanceOf(MetadataException.class);

        assertThat(pair("logs").checkOrGive(StorePairTest::none)).isEqualTo(FIRST);
        assertThat(pair("logs").check()).isEqualTo(FIRST);
    }

    @Test
    void dataOfAnEarlierVersionIsAdoptedIfItsSegmentsAreThere() throws Exception {
        rowWithASealedSegment();
        segmentFile("logs");

        assertThatThrownBy(() -> pair("others").checkOrGive(id(SECOND)))
                .hasMessageContaining("none of the segments that the rows name is there");
        assertThat(pair("logs").checkOrGive(id(FIRST))).isEqualTo(FIRST);
    }

    @Test
    void fileOfAnotherFormIsRefusedByName() throws Exception {
        Files.createDirectories(data.resolve("logs"));
        Files.writeString(data.resolve("logs/IDENTITY"), "talos store 2 x\n");

        assertThatThrownBy(() -> pair("logs").check()).hasMessageContaining("IDENTITY is not the identity of a store");
    }

    @Test
    void rowsWithoutASealedSegmentFitAnyLogs() throws Exception {
        var unused = store.compareAndSet(RowKey.table('h'), 0, new byte[] {1});
        PartitionRecord row = new PartitionRecord(1, "", 0, List.of(SegmentRecord.planned(0, 1)));
        var saved = new Partitions(store).save(TOPIC, 0, row, 0);
        assertThat(saved).isPresent();

        try (LogsIdentity logs = LocalSegmentStore.identity(data.resolve("logs"))) {
            assertThat(new StorePair(logs, store, "rows").checkOrGive(id(FIRST)))
                    .isEqualTo(FIRST);
        }
    }
}
