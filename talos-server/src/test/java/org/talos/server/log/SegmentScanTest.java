// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.testing.MemorySegmentStore;

/** What clients put stands in segments, and may look like entries. */
@Timeout(60)
class SegmentScanTest {
    private static final SegmentName SEGMENT = new SegmentName(new LogId("0".repeat(32), 0), 0, 1);
    private static final int ATTRIBUTE_BYTES_AT = 12;
    private static final int BLOCK_BYTES_AT = 16;

    private final MemorySegmentStore store = new MemorySegmentStore();

    private SegmentScan scan(ByteBuffer segment) throws Exception {
        store.create(SEGMENT).append(List.of(segment)).get();
        return new SegmentScan(store, SEGMENT, 0, segment.capacity());
    }

    private static ByteBuffer header() {
        Block block = new Block(1, 0, 0, ByteBuffer.allocate(0), ByteBuffer.allocate(1));
        return EntryFormat.head(new Put("", Put.Origin.UNIQUE, List.of(block)), 0, 0, 0, 0);
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
}
