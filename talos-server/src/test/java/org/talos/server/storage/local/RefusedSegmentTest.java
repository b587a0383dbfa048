// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.storage.local.FlushPowerFailureTest.NOTHING_IS_KEPT;
import static org.talos.server.storage.local.Stores.PATHS;
import static org.talos.server.storage.local.Stores.bytes;
import static org.talos.server.storage.local.Stores.segment;
import static org.talos.server.storage.local.Stores.text;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.server.config.Durability;
import org.talos.server.log.MemoryCatalog;
import org.talos.server.log.SegmentCatalog;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.JournaledSegmentStore;

/** Unsealed segments that were on the disk before a run without syncs, in which the power then fails. */
@Timeout(30)
class RefusedSegmentTest {
    private static final SegmentName OLD = segment(0);
    private static final SegmentName NEW = segment(3);
    private static final String SYNCED = "talos synced 1\n" + Stores.LOG.topicId() + " 0 0 1\n";

    private final LosingDisk disk = new LosingDisk(Stores.MOUNTED);

    private JournaledSegmentStore open() throws StorageException {
        return Stores.open(disk, Durability.FLUSH);
    }

    /** The run has written to a segment of its own. */
    private void powerFailsIn(JournaledSegmentStore store, SegmentName written) throws StorageException {
        store.create(written).append(bytes("def")).join();
        disk.failAfter(0);
        store.close();
        disk.powerOff(NOTHING_IS_KEPT);
    }

    private void leaveOld() throws StorageException {
        try (JournaledSegmentStore store = open()) {
            store.create(OLD).append(bytes("abc")).join();
        }
    }

    private static boolean mayLackItsEnd(JournaledSegmentStore store, SegmentName name) {
        return store.mayLackItsEnd(name, SegmentOptions.DEFAULT);
    }

    private String contents(Path file) {
        return new String(disk.bytes(file), StandardCharsets.UTF_8);
    }

    /** Otherwise its partition would be cut at the damage, as if the power failure had caused it. */
    @Test
    void damagedSegmentStaysRefusedAfterPowerFailures() throws Exception {
        MemoryCatalog catalog = new MemoryCatalog();
        JournaledSegmentStore store = open();
        FlushPowerFailureTest.put(FlushPowerFailureTest.open(store, catalog), new Random(1), 3, new HashMap<>());
        disk.failAfter(0);
        store.close();
        disk.processEnds();
        open().close(); // replays the journal, of which nothing is left
        Path segment = PATHS.segment(catalog.segments().get(0).name());
        byte[] damaged = disk.bytes(segment);
        damaged[100] ^= 1;
        disk.overwrite(segment, damaged);

        for (int failures = 0; failures < 3; failures++) {
            JournaledSegmentStore next = open();
            assertThatThrownBy(() -> FlushPowerFailureTest.open(next, catalog))
                    .isInstanceOfSatisfying(
                            StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CORRUPT))
                    .hasMessageContaining("is damaged at position 0, and whole entries follow");
            LogId other = new LogId("f".repeat(32), 0);
            powerFailsIn(next, new SegmentName(other, failures, 1)); // other partitions are served
        }

        assertThat(disk.bytes(segment)).isEqualTo(damaged);
        assertThat(catalog.segments()).noneMatch(SegmentCatalog.Known::isGap);
    }

    @Test
    void segmentOfTheLastRunMayLackItsEndAndOneOfARunBeforeNot() throws Exception {
        leaveOld();
        powerFailsIn(open(), NEW);

        try (JournaledSegmentStore store = open()) {
            assertThat(mayLackItsEnd(store, OLD)).isFalse();
            assertThat(text(store, OLD)).isEqualTo("abc");
            assertThat(mayLackItsEnd(store, NEW)).isTrue();
        }
    }

    /** The second start notes it as synced too: what is left of it is. */
    @Test
    void segmentThatMayLackItsEndStillMayAfterAnotherPowerFailure() throws Exception {
        powerFailsIn(open(), OLD);
        powerFailsIn(open(), NEW);

        try (JournaledSegmentStore store = open()) {
            assertThat(mayLackItsEnd(store, OLD)).isTrue();
            assertThat(mayLackItsEnd(store, NEW)).isTrue();
        }
    }

    /** As docs/formats/storage.md has it. */
    @Test
    void startNotesTheUnsealedSegmentsThatExist() throws Exception {
        leaveOld();
        assertThat(disk.exists(PATHS.synced())).isFalse();

        try (JournaledSegmentStore store = open()) {
            assertThat(contents(PATHS.synced())).isEqualTo(SYNCED);
            store.create(NEW).append(bytes("def")).join();
            store.saveIndex(OLD, new byte[0]);
            assertThat(contents(PATHS.synced())).isEqualTo(SYNCED);
        }

        open().close();
        assertThat(contents(PATHS.synced())).isEqualTo(SYNCED.replace(" 0 0 1", " 0 3 1"));
    }

    @Test
    void startWithSyncsNotesNone() throws Exception {
        leaveOld();
        open().close();

        Stores.open(disk, Durability.FSYNC).close();

        assertThat(disk.exists(PATHS.synced())).isFalse();
    }

    /** As an earlier version has left it, which notes no segments. */
    @Test
    void segmentsThatWereNotNotedMayLackTheirEnd() throws Exception {
        leaveOld();
        JournaledSegmentStore store = open();
        disk.deleteIfExists(PATHS.synced());
        disk.syncDirectory(PATHS.root());
        powerFailsIn(store, NEW);

        try (JournaledSegmentStore next = open()) {
            assertThat(mayLackItsEnd(next, OLD)).isTrue();
        }
    }

    /** The journal is an earlier copy, and the note is not. */
    @Test
    void segmentOfWhichTheJournalHasBytesMayLackItsEnd() throws Exception {
        JournaledSegmentStore store = open();
        store.create(OLD).append(bytes("abc")).join();
        byte[] journal = disk.bytes(PATHS.journal(1));
        disk.failAfter(0);
        store.close();
        disk.powerOff(NOTHING_IS_KEPT);
        disk.overwrite(PATHS.journal(1), journal);
        disk.overwrite(PATHS.synced(), SYNCED.getBytes(StandardCharsets.UTF_8));

        try (JournaledSegmentStore next = open()) {
            assertThat(text(next, OLD)).isEqualTo("abc");
            assertThat(mayLackItsEnd(next, OLD)).isTrue();
        }
    }

    @Test
    void startThatFailsAtAnyOperationHidesNoLoss() throws Exception {
        boolean opened = false;
        for (int operations = 0; !opened; operations++) {
            LosingDisk each = new LosingDisk(Stores.MOUNTED);
            JournaledSegmentStore store = Stores.open(each, Durability.FLUSH);
            store.create(OLD).append(bytes("abc")).join();
            each.failAfter(0);
            store.close();
            each.processEnds();
            each.failAfter(operations);
            opened = opens(each);
            each.powerOff(NOTHING_IS_KEPT);

            try (JournaledSegmentStore next = Stores.open(each, Durability.FLUSH)) {
                assertThat(text(next, OLD).equals("abc") || mayLackItsEnd(next, OLD))
                        .as("after %d operations", operations)
                        .isTrue();
            }
        }
    }

    private static boolean opens(Disk disk) {
        try {
            Stores.open(disk, Durability.FLUSH).close();
            return true;
        } catch (StorageException e) {
            return false; // as a fault was asked for
        }
    }

    @Test
    void lookWithoutAServerReadsTheNote(@TempDir Path folder) throws Exception {
        Path root = folder.resolve("store");
        for (SegmentName name : List.of(OLD, NEW)) {
            try (JournaledSegmentStore store = LocalSegmentStore.open(
                    root, Stores.config(Durability.FLUSH), () -> 0, (bytes, write, sync) -> {})) {
                store.create(name).append(bytes("abc")).join();
            }
        }

        try (LocalInspection inspection = LocalInspection.open(root)) {
            assertThat(inspection.wasSynced(OLD)).isTrue();
            assertThat(inspection.wasSynced(NEW)).isFalse();
        }
        Files.writeString(new DiskPaths(root).synced(), "talos synced 2\n");
        try (LocalInspection inspection = LocalInspection.open(root)) {
            assertThatThrownBy(inspection::listedJournalFiles).hasMessageContaining("(expected: 'talos synced 1')");
        }
    }

    @Test
    void noteOfALaterVersionIsRefusedByName() throws Exception {
        open().close();
        disk.overwrite(PATHS.synced(), "talos synced 2\n".getBytes(StandardCharsets.UTF_8));

        assertThatThrownBy(this::open)
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CORRUPT))
                .hasMessageContaining("SYNCED is not a list of synced segments (expected: 'talos synced 1')");
    }
}
