// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.talos.server.storage.local.Stores.LOG;
import static org.talos.server.storage.local.Stores.PATHS;
import static org.talos.server.storage.local.Stores.bytes;
import static org.talos.server.storage.local.Stores.segment;
import static org.talos.server.storage.local.Stores.text;

import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.config.Durability;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentRows;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.JournaledSegmentStore;

/** Segments that are missing or too short at a start, while the journal still has something of them. */
@Timeout(60)
class MissingSegmentTest {
    private static final SegmentName FIRST = segment(0);
    private static final SegmentRows MADE = name -> true;
    /** More than the journal's first file takes. */
    private static final String LARGE = "x".repeat(70 << 10);

    private final LosingDisk disk = new LosingDisk(Stores.MOUNTED);

    private JournaledSegmentStore open(SegmentRows rows) throws StorageException {
        return Stores.open(disk, Durability.FSYNC, rows);
    }

    private String reopened(SegmentRows rows) throws StorageException {
        try (JournaledSegmentStore store = open(rows)) {
            long length = store.recover(FIRST);
            assertThat(store.lengths(LOG)).containsEntry(FIRST, length);
            return text(store, FIRST);
        }
    }

    /** Leaves the state after a power failure in which the journal has all of the segment. */
    private void crashWithAll() throws StorageException {
        JournaledSegmentStore store = open(MADE);
        SegmentWriter writer = store.create(FIRST);
        writer.append(bytes("abc")).join();
        writer.append(bytes("def")).join();
        crash(store);
    }

    /**
     * Leaves the state after a power failure in which the journal has only the end of the segment, whose file has the
     * rest.
     */
    private void crashWithTheEnd() throws StorageException {
        JournaledSegmentStore store = open(MADE);
        SegmentWriter writer = store.create(FIRST);
        writer.append(bytes(LARGE)).join();
        await().until(() -> !disk.exists(PATHS.journal(1)));
        writer.append(bytes("abc")).join();
        writer.append(bytes("def")).join();
        crash(store);
    }

    private void crash(JournaledSegmentStore store) {
        disk.failAfter(0);
        store.close();
        disk.powerOff(new Random(1) {
            @Override
            public boolean nextBoolean() {
                return false;
            }
        });
    }

    private void delete(SegmentName name) throws IOException {
        disk.deleteIfExists(PATHS.segment(name));
        disk.syncDirectory(PATHS.log(LOG));
    }

    private void assertRefused() {
        assertThatThrownBy(() -> reopened(MADE))
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CORRUPT))
                .hasMessageContaining(FIRST.toString())
                .hasMessageContaining("missing or too short");
    }

    @Test
    void segmentOfWhichTheJournalHasAllIsMadeAnew() throws Exception {
        crashWithAll();
        delete(FIRST);

        assertThat(reopened(MADE)).isEqualTo("abcdef");
        assertThat(reopened(MADE)).isEqualTo("abcdef");
    }

    @Test
    void segmentThatTheRowsDoNotHaveStaysDeleted() throws Exception {
        crashWithAll();
        delete(FIRST);

        try (JournaledSegmentStore store = open(SegmentRows.NONE)) {
            assertThat(store.list(LOG)).isEmpty();
        }
    }

    @Test
    void segmentOfWhichTheJournalHasTheEndIsRefusedAtEveryStartUntilItsFileIsBack() throws Exception {
        crashWithTheEnd();
        byte[] file = disk.bytes(PATHS.segment(FIRST));
        delete(FIRST);

        assertRefused();
        assertRefused();
        assertThat(disk.exists(PATHS.segment(FIRST))).isFalse();

        disk.overwrite(PATHS.segment(FIRST), file);
        assertThat(reopened(MADE)).isEqualTo(LARGE + "abcdef");
        assertThat(disk.list(PATHS.kept())).isEmpty();
    }

    @Test
    void segmentThatWasCutIsRefusedAndLeftAsItIs() throws Exception {
        crashWithTheEnd();
        byte[] file = disk.bytes(PATHS.segment(FIRST));
        byte[] cut = Arrays.copyOf(file, LARGE.length() - 1);
        disk.overwrite(PATHS.segment(FIRST), cut);

        assertRefused();
        assertRefused();
        assertThat(disk.bytes(PATHS.segment(FIRST))).isEqualTo(cut);

        disk.overwrite(PATHS.segment(FIRST), file);
        assertThat(reopened(MADE)).isEqualTo(LARGE + "abcdef");
    }

    @Test
    void crashWhileTheRestIsKeptLosesNothingOfIt() throws Exception {
        crashWithTheEnd();
        byte[] file = disk.bytes(PATHS.segment(FIRST));
        delete(FIRST);
        for (int operations = 1; operations < 40; operations++) {
            disk.failAfter(operations);
            try (JournaledSegmentStore store = open(MADE)) {
                assertThat(store.list(LOG)).containsExactly(FIRST);
            } catch (StorageException | RuntimeException e) {
                assertThat(disk.isOff()).as(e.toString()).isTrue();
            }
            disk.powerOff(new Random(operations));
        }

        disk.overwrite(PATHS.segment(FIRST), file);
        assertThat(reopened(MADE)).isEqualTo(LARGE + "abcdef");
    }

    @Test
    void startThatEndsWhileItDeletesTheJournalHasKeptAllOfIt() throws Exception {
        JournaledSegmentStore store = open(MADE);
        SegmentWriter writer = store.create(FIRST);
        writer.append(bytes(LARGE)).join();
        await().until(() -> !disk.exists(PATHS.journal(1)));
        fail("write", ".log"); // so that no further journal file goes
        writer.append(bytes(LARGE)).join();
        writer.append(bytes("abc")).join();
        crash(store);
        byte[] file = disk.bytes(PATHS.segment(FIRST));
        delete(FIRST);

        fail("delete", PATHS.journal(3).toString());
        assertThatThrownBy(() -> open(MADE)).isInstanceOf(StorageException.class);
        assertThat(disk.list(PATHS.journal())).containsExactly(PATHS.journal(3));
        disk.processEnds();
        assertRefused();

        disk.overwrite(PATHS.segment(FIRST), file);
        assertThat(reopened(MADE)).isEqualTo(LARGE + LARGE + "abc");
    }

    private void fail(String operation, String part) {
        disk.fault((each, path) -> {
            if (each.equals(operation) && path.toString().contains(part)) {
                throw new IOException("made to fail");
            }
        });
    }

    @Test
    void whatIsKeptGoesWithItsLog() throws Exception {
        crashWithTheEnd();
        delete(FIRST);

        try (JournaledSegmentStore store = open(MADE)) {
            store.deleteLog(LOG);
            assertThat(store.list(LOG)).isEmpty();
        }

        assertThat(disk.list(PATHS.kept())).isEmpty();
    }

    @Test
    void segmentThatWasDeletedWhileTheJournalHadItIsNotKept() throws Exception {
        JournaledSegmentStore store = open(MADE);
        store.create(FIRST).append(bytes("abc")).join();
        store.delete(FIRST);
        crash(store);

        try (JournaledSegmentStore next = open(SegmentRows.NONE)) {
            assertThat(next.list(LOG)).isEmpty();
        }
        assertThat(disk.list(PATHS.kept())).isEmpty();
    }
}
