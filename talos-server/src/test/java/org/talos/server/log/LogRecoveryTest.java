// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.talos.server.log.LogFixture.append;
import static org.talos.server.log.LogFixture.block;
import static org.talos.server.log.LogFixture.large;
import static org.talos.server.log.LogFixture.put;
import static org.talos.server.log.LogFixture.texts;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

@Timeout(30)
class LogRecoveryTest {
    private final LogFixture fixture = new LogFixture();

    private SegmentName threePuts() throws StorageException {
        PartitionLog log = fixture.open();
        log.append(List.of(put("one"), put("two"), put("three")));
        fixture.store.losePower(0);
        return fixture.catalog.last();
    }

    @Test
    void eachCutLeavesWholePutsOnly() throws Exception {
        SegmentName name = threePuts();
        byte[] whole = fixture.store.bytes(name);

        for (int length = 0; length <= whole.length; length++) {
            LogFixture cut = new LogFixture();
            cut.catalog.has(name);
            cut.store.replace(name, Arrays.copyOf(whole, length));

            PartitionLog log = cut.open();

            List<String> all = List.of("one", "two", "three");
            assertThat(texts(log, 0)).isEqualTo(all.subList(0, (int) log.durableEnd()));
            assertThat(append(log, put("next")).firstOffset()).isCompletedWithValue(log.durableEnd() - 1);
            assertThat(texts(log, log.durableEnd() - 1)).containsExactly("next");
        }
    }

    @Test
    void noFlippedBitIsServedOrHidesWhatFollows() throws Exception {
        SegmentName name = threePuts();
        byte[] whole = fixture.store.bytes(name);
        int lastEntry = whole.length - (EntryFormat.HEADER_BYTES + "p#three".length() + "three".length());

        for (int bit = 0; bit < whole.length * 8; bit++) {
            LogFixture flipped = new LogFixture();
            flipped.catalog.has(name);
            byte[] damaged = whole.clone();
            damaged[bit / 8] ^= (byte) (1 << (bit % 8));
            flipped.store.replace(name, damaged);

            if (bit / 8 < lastEntry) {
                assertThatThrownBy(flipped::open).as("bit %d", bit).isInstanceOf(StorageException.class);
                assertThat(flipped.store.bytes(name)).isEqualTo(damaged);
            } else {
                assertIsTornOrRefused(flipped);
            }
        }
    }

    private static void assertIsTornOrRefused(LogFixture flipped) {
        try {
            assertThat(texts(flipped.open(), 0)).containsExactly("one", "two");
        } catch (StorageException e) {
            assertThat(e.reason()).isEqualTo(Reason.CORRUPT); // the version's bits
        }
    }

    @Test
    void entryOfAnotherVersionIsRefusedByName() throws Exception {
        SegmentName name = threePuts();
        byte[] bytes = fixture.store.bytes(name);
        bytes[5] = 2;
        fixture.store.replace(name, bytes);

        assertThatThrownBy(fixture::open).hasMessageContaining("format version 2");
    }

    /** An opening noted where the log ends, and failed. What turns up behind that was not acknowledged. */
    @Test
    void segmentEndsWhereTheGapBehindItBegins() throws Exception {
        SegmentName name = threePuts();
        SegmentName gap = new SegmentName(LogFixture.ID, 2, 2);
        LogFixture again = new LogFixture();
        again.catalog.has(name);
        again.catalog.has(SegmentCatalog.Known.gap(gap, 100, 0));
        again.store.replace(name, fixture.store.bytes(name));

        PartitionLog log = again.open();

        assertThat(texts(log, 0)).containsExactly("one", "two");
        assertThat(append(log, put("next")).firstOffset()).isCompletedWithValue(100L);
    }

    @Test
    void putOfSeveralBlocksIsThereWholeOrNotAtAll() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("first"));
        SegmentName name = fixture.catalog.last();
        int before = fixture.store.bytes(name).length;
        append(log, put("p#2", block(2, "a"), block(3, "b"), block(1, "c")));
        byte[] whole = fixture.store.bytes(name);
        fixture.store.losePower(0);

        for (int length = before; length < whole.length; length++) {
            LogFixture cut = new LogFixture();
            cut.catalog.has(name);
            cut.store.replace(name, Arrays.copyOf(whole, length));

            assertThat(texts(cut.open(), 0)).containsExactly("first");
        }
    }

    @Test
    void segmentBegunBehindPutsThatWereNeverDurableIsDropped() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("kept"));
        fixture.store.holdFlushes();
        append(log, large("lost"));
        append(log, put("lost, and in the next segment"));
        fixture.store.losePower(0);
        assertThat(fixture.catalog.segments()).hasSize(2);

        PartitionLog reopened = fixture.open();

        assertThat(texts(reopened, 0)).containsExactly("kept");
        assertThat(append(reopened, put("next")).firstOffset()).isCompletedWithValue(1L);
    }

    @Test
    void gapBeforeWholeEntriesIsDamage() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("first"));
        append(log, large("second"));
        SegmentName name = fixture.catalog.last();
        append(log, put("third"));
        byte[] damaged = Arrays.copyOf(fixture.store.bytes(name), 80);
        fixture.store.replace(name, damaged);

        assertThatThrownBy(fixture::open)
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CORRUPT));
        assertThat(fixture.store.bytes(name)).as("stays as it is").isEqualTo(damaged);
    }

    @Test
    void sealedSegmentThatIsShorterThanItsRowIsRefused() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("first"));
        log.close();
        SegmentName name = fixture.catalog.last();
        fixture.store.truncate(name, fixture.store.bytes(name).length - 1);

        assertThatThrownBy(fixture::open).hasMessageContaining("expected");
    }

    @Test
    void tornPutWhoseBytesLookLikeTheBeginningOfAnEntryIsStillTorn() throws Exception {
        PartitionLog log = fixture.open();
        append(log, put("first"));
        fixture.store.holdFlushes();
        ByteBuffer bytes = ByteBuffer.allocate(400);
        bytes.putInt(100, EntryFormat.MAGIC).putShort(104, (short) 9);
        append(log, put("p#2", new Block(1, 0, 0, ByteBuffer.allocate(0), bytes)));
        fixture.store.losePower(fixture.store.waitingBytes() - 1);

        assertThat(texts(fixture.open(), 0)).containsExactly("first");
    }

    @Test
    void newOwnerBeginsANewSegmentUnderItsEpoch() throws Exception {
        append(fixture.open(), put("first"));

        append(fixture.open(), put("second"));

        assertThat(fixture.catalog.segments())
                .extracting(known -> known.name().epoch())
                .containsExactly(1L, 2L);
        assertThat(fixture.catalog.segments().get(0).sealed()).isTrue();
    }

    @Test
    void emptySegmentLosesItsRow() throws Exception {
        PartitionLog log = fixture.open();
        fixture.store.holdFlushes();
        append(log, put("lost"));
        fixture.store.losePower(0);

        fixture.open();

        assertThat(fixture.catalog.segments()).isEmpty();
    }

    @Test
    void filesBelowTheStartAreSweptAndOthersLeft() throws Exception {
        SegmentCatalog row = fixture.catalog.takeOver();
        SegmentName gone = new SegmentName(LogFixture.ID, 0, 1);
        row.add(gone);
        row.remove(gone, 10);
        SegmentName unknown = new SegmentName(LogFixture.ID, 20, 1);
        fixture.store.replace(gone, new byte[1]);
        fixture.store.replace(unknown, new byte[1]);

        PartitionLog log = fixture.open();

        assertThat(fixture.store.list(LogFixture.ID)).containsExactly(unknown);
        assertThat(log.startOffset()).isEqualTo(10);
        assertThat(log.durableEnd()).isEqualTo(10);
    }

    private SegmentName twoPutsLeftByTheOwner() throws StorageException {
        PartitionLog log = fixture.open();
        log.append(List.of(put("one"), put("two")));
        return fixture.catalog.last();
    }

    @Test
    void missingSegmentThatWasMadeIsRefusedAndItsRowStays() throws Exception {
        SegmentName name = twoPutsLeftByTheOwner();
        fixture.store.delete(name);

        assertThatThrownBy(fixture::open)
                .hasMessageContaining("is missing")
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CORRUPT));
        assertThat(fixture.catalog.last()).isEqualTo(name);
        assertThat(fixture.store.list(LogFixture.ID)).isEmpty();
    }

    @Test
    void missingSegmentThatWasSealedIsRefusedAndItsRowStays() throws Exception {
        PartitionLog log = fixture.open();
        log.append(List.of(put("one"), put("two")));
        log.close();
        SegmentName name = fixture.catalog.last();
        fixture.store.delete(name);

        assertThatThrownBy(fixture::open).hasMessageContaining("is missing");
        assertThat(fixture.catalog.last()).isEqualTo(name);
    }

    @Test
    void segmentThatWasPlannedOnlyIsDroppedWhetherItsFileIsThereOrNot() throws Exception {
        for (boolean there : new boolean[] {true, false}) {
            LogFixture planned = new LogFixture();
            SegmentName name = new SegmentName(LogFixture.ID, 0, 1);
            planned.catalog.has(SegmentCatalog.Known.unsealed(name, SegmentCatalog.State.PLANNED));
            if (there) {
                planned.store.replace(name, new byte[0]);
            }

            PartitionLog log = planned.open();

            assertThat(log.durableEnd()).isZero();
            assertThat(planned.catalog.segments()).isEmpty();
            assertThat(planned.store.list(LogFixture.ID)).isEmpty();
        }
    }

    @Test
    void segmentOfAnOlderVersionIsDroppedIfItsFileIsNotThere() throws Exception {
        SegmentName name = new SegmentName(LogFixture.ID, 0, 1);
        fixture.catalog.has(SegmentCatalog.Known.unsealed(name, SegmentCatalog.State.OPEN));

        assertThat(fixture.open().durableEnd()).isZero();
        assertThat(fixture.catalog.segments()).isEmpty();
    }

    @Test
    void sealedSegmentsAreBelievedAndOnlyTheLastIsRecovered() throws Exception {
        PartitionLog log = fixture.open();
        for (int i = 0; i < 20; i++) {
            append(log, large("segment " + i));
            fixture.settle();
        }
        append(log, put("last"));
        fixture.settle();
        SegmentName last = fixture.catalog.last();

        PartitionLog reopened = fixture.open();

        assertThat(reopened.durableEnd()).isEqualTo(21);
        assertThat(fixture.store.recovered()).containsExactly(last);
    }

    @Test
    void lastSegmentIsReadOnce() throws Exception {
        PartitionLog log = fixture.open();
        for (int i = 0; i < 100; i++) {
            append(log, put("put " + i));
        }
        SegmentName last = fixture.catalog.last();

        PartitionLog reopened = fixture.open();

        assertThat(fixture.store.bytesRead()).containsEntry(last, (long) fixture.store.bytes(last).length);
        assertThat(append(reopened, put("put 99")).firstOffset()).isCompletedWithValue(99L); // remembered all the same
    }

    @Test
    void segmentWithASavedIndexIsReadFromItsLastPointOnly() throws Exception {
        fixture.dedupeWindow = 0;
        PartitionLog log = fixture.open();
        for (int i = 0; i < 200; i++) {
            append(log, put("put " + i));
        }
        log.close();
        SegmentName last = fixture.catalog.last();
        LogFixture unsealed = new LogFixture(); // the owner died before the row followed the index
        unsealed.millis += 600_000;
        unsealed.catalog.has(last);
        unsealed.store.replace(last, fixture.store.bytes(last));
        unsealed.store.saveIndex(last, fixture.store.loadIndex(last).orElseThrow());

        PartitionLog reopened = unsealed.open();

        assertThat(reopened.durableEnd()).isEqualTo(200);
        assertThat(unsealed.catalog.segments().get(0))
                .isEqualTo(fixture.catalog.segments().get(0));
    }
}
