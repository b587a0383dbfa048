// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.talos.server.storage.local.Stores.PATHS;
import static org.talos.server.storage.local.Stores.bytes;
import static org.talos.server.storage.local.Stores.segment;
import static org.talos.server.storage.local.Stores.text;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.config.Durability;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.JournalFormat;
import org.talos.server.storage.journal.JournaledSegmentStore;

/** Journals that were torn, damaged, or made by something else. */
@Timeout(30)
class JournalDamageTest {
    private static final SegmentName FIRST = segment(0);
    private static final int FILE_BYTES = 64 << 10;

    private final LosingDisk disk = new LosingDisk(Stores.MOUNTED);
    private final Path journal = PATHS.journal(1);

    @BeforeEach
    void appendThree() throws StorageException {
        JournaledSegmentStore store = Stores.open(disk);
        SegmentWriter writer = store.create(FIRST);
        for (String each : List.of("abc", "def", "ghi")) {
            writer.append(bytes(each)).join();
        }
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

    private static int batch(int index) {
        int batchBytes = JournalFormat.BATCH_HEADER_BYTES + JournalFormat.ITEM_HEADER_BYTES + 3;
        return JournalFormat.FILE_HEADER_BYTES + index * batchBytes;
    }

    private void flip(int position) {
        byte[] bytes = disk.bytes(journal);
        bytes[position] ^= 1;
        disk.overwrite(journal, bytes);
    }

    private void assertRefused(String message) {
        assertThatThrownBy(() -> Stores.open(disk))
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CORRUPT))
                .hasMessageContaining(message);
    }

    private String reopened() throws StorageException {
        try (JournaledSegmentStore store = Stores.open(disk)) {
            return text(store, FIRST);
        }
    }

    @Test
    void wholeJournalIsReplayed() throws Exception {
        assertThat(reopened()).isEqualTo("abcdefghi");
    }

    @Test
    void damageInTheMiddleIsRefused() {
        flip(batch(1) + JournalFormat.BATCH_HEADER_BYTES + 50);

        assertRefused("is damaged at position " + batch(1));
    }

    @Test
    void damagedBatchHeaderInTheMiddleIsRefused() {
        flip(batch(1) + 20);

        assertRefused("is damaged at position " + batch(1));
    }

    @Test
    void tornTailIsDropped() throws Exception {
        disk.overwrite(journal, Arrays.copyOf(disk.bytes(journal), batch(2) + 40));

        assertThat(reopened()).isEqualTo("abcdef");
    }

    @Test
    void missingBatchIsRefused() {
        byte[] all = disk.bytes(journal);
        byte[] without = Arrays.copyOf(all, batch(2));
        System.arraycopy(all, batch(2), without, batch(1), batch(3) - batch(2));
        disk.overwrite(journal, without);

        assertRefused("is damaged at position " + batch(1));
    }

    @Test
    void damagedFileHeaderIsRefused() {
        flip(10);

        assertRefused("is damaged at position 0");
    }

    @Test
    void fileThatWasBegunAndGotNoFurtherIsPassedOver() throws Exception {
        disk.overwrite(PATHS.journal(2), new byte[20]);

        assertThat(reopened()).isEqualTo("abcdefghi");
    }

    @Test
    void unknownVersionIsRefusedByName() {
        byte[] bytes = disk.bytes(journal);
        ByteBuffer header = ByteBuffer.wrap(bytes);
        header.putInt(8, 3);
        header.putInt(48, JournalFormat.crc(bytes, 0, 48));
        disk.overwrite(journal, bytes);

        assertRefused("format version 3 (expected: 2)");
    }

    @Test
    void unknownDirectoryFormatIsRefusedByName() {
        disk.overwrite(Stores.ROOT.resolve("FORMAT"), "talos segments 9\n".getBytes(StandardCharsets.UTF_8));

        assertRefused("'talos segments 9'");
    }

    @Test
    void missingFileInTheMiddleIsRefused() throws Exception {
        JournaledSegmentStore store = Stores.open(disk);
        SegmentWriter writer = store.create(segment(100));
        disk.fault((operation, path) -> {
            if (path.toString().endsWith(".log")) {
                throw new IOException("nothing is forgotten");
            }
        });
        for (int i = 0; i < 3; i++) {
            writer.append(List.of(ByteBuffer.allocate(FILE_BYTES))).join();
        }
        List<Path> files = disk.list(PATHS.journal());
        crash(store);
        assertThat(files).hasSize(3);
        disk.deleteIfExists(files.get(1));

        assertRefused("is missing");
    }

    /** Making it may take so long that others were begun, filled and deleted meanwhile. */
    @Test
    void fileThatWasMadeLateAndInVainIsPassedOver() throws Exception {
        JournaledSegmentStore store = Stores.open(disk);
        SegmentWriter writer = store.create(segment(100));
        for (int i = 0; i < 3; i++) {
            writer.append(List.of(ByteBuffer.allocate(FILE_BYTES))).join();
        }
        await().until(() -> disk.list(PATHS.journal()).size() == 1);
        writer.append(bytes("into a file that names one before")).join();
        crash(store);
        disk.overwrite(journal, new byte[0]);

        assertThat(reopened()).isEqualTo("abcdefghi");
    }

    /** A file that is begun again holds whole batches of its earlier life: under the same numbers, even. */
    @Test
    void batchesOfAFilesEarlierLifeAreNotReplayed() throws Exception {
        byte[] earlier = disk.bytes(journal);
        JournaledSegmentStore store = Stores.open(disk);
        store.close();
        disk.overwrite(PATHS.spareJournal(1), earlier);
        store = Stores.open(disk);
        SegmentWriter writer = store.create(segment(100));
        writer.append(bytes("jkl")).join();
        Path again = disk.list(PATHS.journal()).get(0);
        assertThat(disk.exists(PATHS.spareJournal(1))).isFalse();
        assertThat(disk.bytes(again))
                .hasSameSizeAs(earlier)
                .endsWith(bytes("ghi").get(0).array());
        disk.overwrite(PATHS.segment(FIRST), new byte[0]);
        crash(store);

        store = Stores.open(disk);
        assertThat(text(store, segment(100))).isEqualTo("jkl");
        assertThat(text(store, FIRST)).isEmpty();
        store.close();
    }

    /** Without syncs a power failure may leave later batches and lose earlier ones. */
    @Test
    void gapInAJournalWithoutSyncsEndsTheReplay() throws Exception {
        JournaledSegmentStore store = Stores.open(disk);
        store.close();
        store = Stores.open(disk, Durability.FLUSH);
        SegmentWriter writer = store.create(segment(100));
        for (String each : List.of("abc", "def", "ghi")) {
            writer.append(bytes(each)).join();
        }
        Path file = PATHS.journal(1);
        byte[] bytes = disk.bytes(file);
        crash(store);
        Arrays.fill(bytes, batch(1), batch(1) + 8, (byte) 0);
        disk.overwrite(file, bytes);
        disk.overwrite(PATHS.segment(segment(100)), new byte[0]);

        store = Stores.open(disk, Durability.FLUSH);
        assertThat(text(store, segment(100))).isEqualTo("abc");
        store.close();
    }

    /** A killed process loses nothing that it wrote, so a batch is damaged that is not whole before another. */
    @Test
    void damageInAJournalWithoutSyncsIsRefusedWhereThePowerHasNotFailed() throws Exception {
        Stores.open(disk).close();
        JournaledSegmentStore store = Stores.open(disk, Durability.FLUSH);
        SegmentWriter writer = store.create(segment(100));
        for (String each : List.of("abc", "def", "ghi")) {
            writer.append(bytes(each)).join();
        }
        byte[] bytes = disk.bytes(journal);
        disk.failAfter(0);
        store.close();
        disk.processEnds();
        Arrays.fill(bytes, batch(1), batch(1) + 8, (byte) 0);
        disk.overwrite(journal, bytes);

        assertRefused("is damaged at position " + batch(1));
        assertThat(disk.bytes(journal)).isEqualTo(bytes);
    }

    /** Its last batch and its length had not reached the disk, what was written over a spare behind it had. */
    @Test
    void fileOfAJournalWithoutSyncsThatIsCutBetweenTwoBatchesEndsTheReplay() throws Exception {
        Stores.open(disk).close();
        JournaledSegmentStore store = Stores.open(disk, Durability.FLUSH);
        SegmentWriter writer = store.create(segment(100));
        writer.append(bytes("abc")).join();
        byte[] first = disk.bytes(PATHS.journal(1)); // which goes once it is full and copied
        writer.append(bytes("d".repeat(FILE_BYTES))).join();
        writer.append(bytes("ghi")).join();
        byte[] second = disk.bytes(PATHS.journal(2));
        crash(store);
        disk.overwrite(PATHS.journal(1), Arrays.copyOf(first, batch(1)));
        disk.overwrite(PATHS.journal(2), second);
        disk.overwrite(PATHS.segment(segment(100)), new byte[0]);

        store = Stores.open(disk, Durability.FLUSH);
        assertThat(text(store, segment(100))).isEqualTo("abc");
        store.close();
    }

    /** The last batch is torn, and what a client sent looks like a batch. */
    @Test
    void batchInAMessageIsNotTakenForOne() throws Exception {
        JournaledSegmentStore store = Stores.open(disk);
        ByteBuffer forged = JournalFormat.batchHeader(0, 1, 0, 0, JournalFormat.crc(List.of()));
        store.create(segment(100))
                .append(List.of(forged, ByteBuffer.allocate(100)))
                .join();
        Path file = disk.list(PATHS.journal()).get(0);
        crash(store);
        byte[] bytes = disk.bytes(file);
        disk.overwrite(file, Arrays.copyOf(bytes, bytes.length - 50));

        assertThat(reopened()).isEqualTo("abcdefghi");
    }

    @Test
    void documentedExampleIsWhatTheCodeReadsAndWrites() throws Exception {
        Path page = Path.of("").toAbsolutePath().resolveSibling("docs/formats/storage.md");
        String text = Files.readString(page);
        String hex = text.substring(text.indexOf("```hex") + 6, text.indexOf("```", text.indexOf("```hex") + 6));
        ByteBuffer example = ByteBuffer.wrap(
                HexFormat.of().parseHex(hex.replaceAll("#.*", "").replaceAll("\\s", "")));

        ByteBuffer written = ByteBuffer.allocate(example.capacity());
        ByteBuffer item = JournalFormat.itemHeader(FIRST, 6, 3);
        ByteBuffer payload = bytes("ghi").get(0);
        int checksum = JournalFormat.crc(List.of(item, payload));
        written.put(JournalFormat.fileHeader(2, 1, 4096, 0x1122334455667788L, true));
        written.put(JournalFormat.batchHeader(0x1122334455667788L, 5, 1, 51, checksum));
        written.put(item).put(payload);
        assertThat(HexFormat.of().formatHex(written.array()))
                .isEqualTo(HexFormat.of().formatHex(example.array()));

        assertThat(JournalFormat.readFileHeader(example))
                .contains(new JournalFormat.FileHeader(2, true, 2, 1, 4096, 0x1122334455667788L));
        JournalFormat.BatchHeader header =
                JournalFormat.readBatchHeader(0x1122334455667788L, example).orElseThrow();
        assertThat(header).isEqualTo(new JournalFormat.BatchHeader(5, 1, 51, checksum));
        assertThat(JournalFormat.readItems(example.slice(), 1))
                .hasValueSatisfying(items -> assertThat(items.get(0))
                        .isEqualTo(new JournalFormat.Item(
                                FIRST, 6, false, bytes("ghi").get(0))));
    }
}
