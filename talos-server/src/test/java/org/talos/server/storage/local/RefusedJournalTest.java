// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.storage.local.FlushPowerFailureTest.NOTHING_IS_KEPT;
import static org.talos.server.storage.local.Stores.PATHS;
import static org.talos.server.storage.local.Stores.bytes;
import static org.talos.server.storage.local.Stores.segment;
import static org.talos.server.storage.local.Stores.text;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.config.Durability;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.JournalFormat;
import org.talos.server.storage.journal.JournaledSegmentStore;
import org.talos.server.storage.journal.StoredFile;

/** Journals without syncs that a start has refused as damaged, and what later starts do with them. */
@Timeout(30)
class RefusedJournalTest {
    private static final SegmentName NAME = segment(0);
    private static final Path JOURNAL = PATHS.journal(1);
    private static final int BATCH_BYTES = JournalFormat.BATCH_HEADER_BYTES + JournalFormat.ITEM_HEADER_BYTES + 3;
    private static final int DAMAGED_BATCH = JournalFormat.FILE_HEADER_BYTES + BATCH_BYTES;

    private LosingDisk disk;
    private byte[] whole;

    /** The process was killed, and a bit of the second of three batches has changed. */
    @BeforeEach
    void leaveDamage() throws StorageException {
        disk = new LosingDisk(Stores.MOUNTED);
        JournaledSegmentStore store = Stores.open(disk, Durability.FLUSH);
        SegmentWriter writer = store.create(NAME);
        for (String each : List.of("abc", "def", "ghi")) {
            writer.append(bytes(each)).join();
        }
        whole = disk.bytes(JOURNAL);
        disk.failAfter(0);
        store.close();
        disk.processEnds();
        byte[] damaged = whole.clone();
        damaged[DAMAGED_BATCH + 20] ^= 1;
        disk.overwrite(JOURNAL, damaged);
        disk.overwrite(PATHS.segment(NAME), new byte[0]);
    }

    private void assertRefused() {
        assertRefused("is damaged at position " + DAMAGED_BATCH);
    }

    private void assertRefused(String message) {
        byte[] before = disk.bytes(JOURNAL);

        assertThatThrownBy(() -> Stores.open(disk, Durability.FLUSH))
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CORRUPT))
                .hasMessageContaining(message);
        assertThat(disk.bytes(JOURNAL)).isEqualTo(before);
    }

    private void acceptLoss() throws IOException {
        disk.deleteIfExists(PATHS.systemRun());
        disk.syncDirectory(PATHS.root());
    }

    /** The log is cut at the damage, and the offsets behind it are given to no other message. */
    private void assertOpensUpToTheDamage() throws StorageException {
        try (JournaledSegmentStore store = Stores.open(disk, Durability.FLUSH)) {
            assertThat(text(store, NAME)).isEqualTo("abc");
            assertThat(store.mayLackItsEnd(NAME, SegmentOptions.DEFAULT)).isTrue();
        }
        assertThat(disk.exists(PATHS.refusal())).isFalse();
    }

    /** Without the note, the damage would pass for what the power failure has left. */
    @Test
    void journalStaysRefusedAfterPowerFailures() {
        assertRefused();
        disk.powerOff(NOTHING_IS_KEPT);
        assertRefused();
        disk.powerOff(NOTHING_IS_KEPT);

        assertRefused();
    }

    /** After a restart of the system, the disk may give other bytes for those that it could not read. */
    @Test
    void damageIsRefusedThatAnEarlierStartCouldNotRead() {
        fail("read", JOURNAL);
        assertThatThrownBy(() -> Stores.open(disk, Durability.FLUSH))
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE));
        disk.powerOff(NOTHING_IS_KEPT);

        assertRefused();
    }

    private void fail(String operation, Path at) {
        disk.fault((each, path) -> {
            if (each.equals(operation) && path.equals(at)) {
                throw new IOException("Input/output error");
            }
        });
    }

    /** It may lose its end yet. */
    @Test
    void refusalIsNotNotedBeforeTheJournalIsOnTheDisk() {
        fail("sync", JOURNAL);
        assertRefused();
        assertThat(disk.exists(PATHS.refusal())).isFalse();
        disk.heal();

        assertRefused();

        assertThat(disk.exists(PATHS.refusal())).isTrue();
    }

    /** It has lost what was not synced, as in a power failure. */
    @Test
    void damageOfADiskThatWasDetachedIsNotRefused() throws Exception {
        disk.detach(NOTHING_IS_KEPT);

        assertOpensUpToTheDamage();
    }

    @Test
    void damageIsRefusedAfterARunOfAVersionThatDidNotNoteTheDisk() {
        disk.overwrite(PATHS.systemRun(), "talos run 2 life 0\n".getBytes(StandardCharsets.UTF_8));

        assertRefused();
    }

    /** Returns the journal, of which nothing is on the disk any more. */
    private byte[] leaveUnsynced() throws IOException {
        byte[] damaged = disk.bytes(JOURNAL);
        disk.overwrite(JOURNAL, new byte[0]);
        try (StoredFile file = disk.open(JOURNAL)) {
            file.write(0, List.of(ByteBuffer.wrap(damaged)));
        }
        return damaged;
    }

    @Test
    void refusedJournalIsOnTheDisk() throws Exception {
        byte[] damaged = leaveUnsynced();
        assertRefused();

        disk.powerOff(NOTHING_IS_KEPT);

        assertThat(disk.bytes(JOURNAL)).isEqualTo(damaged);
        assertRefused();
    }

    @Test
    void refusalNamesThePageThatSaysHowToContinue() {
        assertRefused("docs/operations.md, 'A part that is missing'");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void lossIsAcceptedByTheRemovalOfTheRun(boolean afterPowerFailure) throws Exception {
        assertRefused();
        if (afterPowerFailure) {
            disk.powerOff(NOTHING_IS_KEPT);
        }
        acceptLoss();

        assertOpensUpToTheDamage();
    }

    @Test
    void startThatAcceptsTheLossAndFailsAtAnyOperationIsRepeated() throws Exception {
        boolean opened = false;
        for (int operations = 0; !opened; operations++) {
            leaveDamage();
            assertRefused();
            acceptLoss();
            disk.failAfter(operations);
            opened = opens();
            disk.processEnds();

            assertOpensUpToTheDamage();
        }
    }

    private boolean opens() {
        try {
            Stores.open(disk, Durability.FLUSH).close();
            return true;
        } catch (StorageException e) {
            return false; // as a fault was asked for
        }
    }

    @Test
    void journalThatWasRestoredIsReplayedAndTheRefusalForgotten() throws Exception {
        assertRefused();
        disk.powerOff(NOTHING_IS_KEPT);
        disk.overwrite(JOURNAL, whole);

        try (JournaledSegmentStore store = Stores.open(disk, Durability.FLUSH)) {
            assertThat(text(store, NAME)).isEqualTo("abcdefghi");
        }
        assertThat(disk.exists(PATHS.refusal())).isFalse();
    }

    /** The disk may be full. */
    @Test
    void refusalThatCannotBeNotedIsNotedByTheNextStart() {
        disk.fault((operation, path) -> {
            if (path.toString().contains("REFUSED")) {
                throw new IOException("No space left on device");
            }
        });
        assertRefused();
        assertThat(disk.exists(PATHS.refusal())).isFalse();
        disk.heal();

        assertRefused();

        disk.powerOff(NOTHING_IS_KEPT);
        assertRefused();
    }

    /** An earlier version does not know of the refusal, and has written another RUN. */
    @Test
    void refusalOfAnotherRunDoesNotCount() throws Exception {
        assertRefused();
        disk.overwrite(PATHS.systemRun(), "talos run 2 another\n".getBytes(StandardCharsets.UTF_8));

        assertOpensUpToTheDamage();
    }

    @Test
    void refusalOfALaterVersionIsRefusedByName() {
        disk.overwrite(PATHS.refusal(), "talos refused 2\n".getBytes(StandardCharsets.UTF_8));

        assertRefused("REFUSED is not the refusal of a journal (expected: 'talos refused 1')");
    }

    /** As docs/formats/storage.md has it. */
    @Test
    void refusalHasTheTextOfTheRun() {
        assertRefused();

        assertThat(contents(PATHS.systemRun())).isEqualTo("talos run 3 life 0 disk/0\n");
        assertThat(contents(PATHS.refusal())).isEqualTo("talos refused 1\ntalos run 3 life 0 disk/0\n");
    }

    private String contents(Path file) {
        return new String(disk.bytes(file), StandardCharsets.UTF_8);
    }
}
