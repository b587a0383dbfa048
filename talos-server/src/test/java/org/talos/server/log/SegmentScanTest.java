// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.testing.MemorySegmentStore;

/** Tests scans of segments in which messages look like entries. */
@Timeout(60)
class SegmentScanTest {
    private static final SegmentName SEGMENT = new SegmentName(new LogId("0".repeat(32), 0), 0, 1);
    private static final int ATTRIBUTE_BYTES_AT = 12;
    private static final int BLOCK_BYTES_AT = 16;
    private static final int BLOCK_CHECKSUM_AT = 52;
    private static final int CHECKSUM_AT = 56;

    private final MemorySegmentStore store = new MemorySegmentStore();

    private SegmentScan scan(ByteBuffer segment) throws Exception {
        store.create(SEGMENT).append(List.of(segment)).get();
        return new SegmentScan(store, SEGMENT, 0, segment.capacity());
    }

    private static ByteBuffer header() {
        return EntryFormat.head(put(1), 0, 0, 0, 0);
    }

    private static Put put(int blockBytes) {
        Block block = new Block(1, 0, 0, ByteBuffer.allocate(0), ByteBuffer.allocate(blockBytes));
        return new Put("", Put.Origin.UNIQUE, List.of(block));
    }

    @Test
    void lengthsWhoseSumIsBeyondAllNumbersAreNoEntry() throws Exception {
        ByteBuffer segment = ByteBuffer.allocate(200).put(1, (byte) 1);
        segment.position(10).put(header().putInt(ATTRIBUTE_BYTES_AT, Integer.MAX_VALUE));
        SegmentScan scan = scan(segment.position(0));

        assertThat(scan.next()).isEmpty();
        assertThat(scan.entryFollows()).isFalse();
    }

    @Test
    void headersThatClaimAllThatFollowsAreNotReadToItsEndEach() throws Exception {
        ByteBuffer segment = ByteBuffer.allocate(2_000 * EntryFormat.HEADER_BYTES);
        while (segment.hasRemaining()) {
            int left = segment.remaining() - EntryFormat.HEADER_BYTES;
            segment.put(header().putInt(BLOCK_BYTES_AT, left));
        }
        SegmentScan scan = scan(segment.position(0));

        assertThat(scan.next()).isEmpty();
        assertThat(scan.entryFollows()).isFalse();
        Map<SegmentName, Long> read = store.bytesRead();
        assertThat(read.get(SEGMENT)).isLessThan(4L * segment.capacity());
    }

    @Test
    void headThatIsLongerThanWhatIsReadAtOnceIsWholeOnlyByItsChecksum() throws Exception {
        Block block = new Block(1, 0, 0, ByteBuffer.allocate(300 << 10), ByteBuffer.allocate(1));
        Put put = new Put("", Put.Origin.UNIQUE, List.of(block));
        ByteBuffer head = EntryFormat.head(put, 0, EntryFormat.checksum(block.bytes()), 7, 0);
        ByteBuffer segment = ByteBuffer.allocate(2 * head.capacity() + 2);
        segment.put(head.duplicate()).put((byte) 0).put(head.duplicate()).put((byte) 0);
        segment.put(segment.capacity() - 2, (byte) 1); // the last attribute of the second
        SegmentScan scan = scan(segment.flip());

        assertThat(scan.wholeHead()).isPresent();
        assertThat(scan.next()).isPresent();
        assertThat(scan.wholeHead()).isEmpty();
        assertThat(scan.next()).isEmpty();
    }

    /**
     * Fills a segment with heads whose checksums are right: of entries whose attributes or blocks are all that follows.
     */
    private static ByteBuffer craftedHeads(int count, boolean attributes) {
        ByteBuffer segment = ByteBuffer.allocate(count * EntryFormat.HEADER_BYTES);
        while (segment.hasRemaining()) {
            int left = segment.remaining() - EntryFormat.HEADER_BYTES;
            ByteBuffer head = header().putInt(BLOCK_BYTES_AT, attributes ? 0 : left);
            head.putInt(ATTRIBUTE_BYTES_AT, attributes ? left : 0).putInt(BLOCK_CHECKSUM_AT, 1);
            head.putInt(CHECKSUM_AT, (int) EntryFormat.beginHeadChecksum(head).getValue());
            segment.put(head);
        }
        return segment.position(0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void wholeHeadsThatClaimAllThatFollowsAreNotReadToItsEndEach(boolean attributes) throws Exception {
        ByteBuffer segment = craftedHeads(17_000, attributes).put(0, (byte) 0);
        SegmentScan scan = scan(segment);

        assertThat(scan.entryFollows()).isFalse();
        assertThat(store.bytesRead().get(SEGMENT)).isLessThan(2L * segment.capacity());
    }

    @Test
    void entryBehindMoreClaimsThanAreKeptIsFoundInAFewPasses() throws Exception {
        ByteBuffer crafted = craftedHeads(150_000, false).put(0, (byte) 0);
        ByteBuffer head = EntryFormat.head(put(1), 0, EntryFormat.checksum(ByteBuffer.allocate(1)), 0, 0);
        ByteBuffer segment = ByteBuffer.allocate(crafted.capacity() + head.capacity() + 1);
        segment.put(crafted).put(head);
        SegmentScan scan = scan(segment.position(0));

        assertThat(scan.skipDamage(0, 1)).isZero();

        assertThat(scan.position()).isEqualTo(crafted.capacity());
        assertThat(scan.next()).isPresent();
        assertThat(store.bytesRead().get(SEGMENT)).isLessThan(4L * segment.capacity());
    }

    @Test
    void entryInABlockThatIsTornIsNoneThatFollows() throws Exception {
        ByteBuffer inner = EntryFormat.head(put(1), 0, EntryFormat.checksum(ByteBuffer.allocate(1)), 0, 0);
        ByteBuffer segment = ByteBuffer.allocate(1_000);
        segment.put(EntryFormat.head(put(2_000), 0, 0, 0, 0)).put(inner);
        SegmentScan scan = scan(segment.position(0));

        assertThat(scan.next()).isEmpty();
        assertThat(scan.entryFollows()).isFalse();
    }

    @Test
    void entryBehindABlockThatIsDamagedFollows() throws Exception {
        ByteBuffer segment = ByteBuffer.allocate(2 * (EntryFormat.HEADER_BYTES + 1));
        segment.put(EntryFormat.head(put(1), 0, 1, 0, 0)).put((byte) 0);
        segment.put(EntryFormat.head(put(1), 0, EntryFormat.checksum(ByteBuffer.allocate(1)), 1, 0));
        SegmentScan scan = scan(segment.position(0));

        assertThat(scan.next()).isEmpty();
        assertThat(scan.entryFollows()).isTrue();
    }
}
