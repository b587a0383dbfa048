// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.talos.server.fuzz.Fuzzed;
import org.talos.server.log.EntryFormat.Entry;
import org.talos.server.log.EntryFormat.Header;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;

/**
 * The bytes of a segment, as they are read again when a log is opened: one byte of switches (1: the checksums are made
 * right first), then the segment.
 *
 * <p>Immutable.
 */
public final class SegmentFuzz {
    private static final SegmentName SEGMENT = new SegmentName(new LogId("0".repeat(32), 0), 0, 1);
    private static final int MULTIPLE = 100;
    private static final int MOST_OF_ID = 1_024;
    private static final int BLOCK_CHECKSUM_AT = 52;
    private static final int HEAD_CHECKSUM_AT = 56;

    private SegmentFuzz() {}

    /** Reads one input. */
    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        ByteBuffer in = ByteBuffer.wrap(input);
        boolean repair = (Fuzzed.next(in) & 1) != 0;
        byte[] given = Fuzzed.rest(in);
        byte[] bytes = repair ? repaired(given) : given;
        Fuzzed.within(bytes.length, MULTIPLE, () -> scan(bytes));
    }

    private static void scan(byte[] bytes) {
        SegmentStore store = new Bytes(bytes);
        SegmentScan scan = new SegmentScan(store, SEGMENT, 0, bytes.length);
        try {
            long position = 0;
            for (Optional<Entry> entry = scan.next(); entry.isPresent(); entry = scan.next()) {
                int length = Math.toIntExact(scan.position() - position);
                Fuzzed.same(length > 0, true);
                writtenAgain(entry.get(), Arrays.copyOfRange(bytes, (int) position, (int) scan.position()));
                position = scan.position();
            }
            boolean damaged = scan.entryFollows();
            Fuzzed.same(damaged && position >= bytes.length, false);
        } catch (StorageException e) {
            Fuzzed.same(e.reason(), StorageException.Reason.CORRUPT);
        }
    }

    /** An entry of a put of one block is written as it was read; of others, the rest of the put is not here. */
    private static void writtenAgain(Entry entry, byte[] bytes) {
        Header header = entry.header();
        if (header.blocksOfPut() != 1
                || header.messages() > Put.MAX_MESSAGES
                || header.sequenceIdBytes() > MOST_OF_ID
                || entry.sequenceId().indexOf('\ufffd') >= 0) {
            return; // or a put cannot have as many messages, or such an id
        }
        StoredBlock stored = entry.stored();
        Put put = new Put(entry.sequenceId(), Put.Origin.UNIQUE, List.of(stored.block()));
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        written.writeBytes(EntryFormat.head(
                        put,
                        0,
                        EntryFormat.checksum(stored.block().bytes()),
                        stored.baseOffset(),
                        stored.appendTimestamp())
                .array());
        written.writeBytes(Fuzzed.rest(stored.block().bytes().duplicate()));
        Fuzzed.same(Arrays.equals(written.toByteArray(), bytes), true);
    }

    /** The segment with the checksums that its bytes call for. */
    private static byte[] repaired(byte[] given) {
        byte[] bytes = given.clone();
        ByteBuffer segment = ByteBuffer.wrap(bytes);
        Optional<Header> header = EntryFormat.readHeader(segment);
        while (header.isPresent() && header.get().plausible() && header.get().entryBytes() <= segment.remaining()) {
            int at = segment.position();
            int head = header.get().headBytes();
            segment.putInt(
                    at + BLOCK_CHECKSUM_AT,
                    EntryFormat.checksum(segment.slice(at + head, header.get().blockBytes())));
            CRC32C crc = new CRC32C();
            crc.update(bytes, at, HEAD_CHECKSUM_AT);
            crc.update(bytes, at + EntryFormat.HEADER_BYTES, head - EntryFormat.HEADER_BYTES);
            segment.putInt(at + HEAD_CHECKSUM_AT, (int) crc.getValue());
            segment.position(at + (int) header.get().entryBytes());
            header = EntryFormat.readHeader(segment);
        }
        return bytes;
    }

    @SuppressWarnings("ArrayRecordComponent") // nobody compares them
    private record Bytes(byte[] bytes) implements SegmentStore {
        @Override
        public int read(SegmentName name, long position, ByteBuffer target) {
            int length = (int) Math.max(0, Math.min(target.remaining(), bytes.length - position));
            target.put(bytes, (int) Math.min(position, bytes.length), length);
            return length;
        }

        private static AssertionError unexpected() {
            return new AssertionError("a scan that does more than reading");
        }

        @Override
        public SegmentWriter create(SegmentName name, SegmentOptions options) {
            throw unexpected();
        }

        @Override
        public long recover(SegmentName name) {
            throw unexpected();
        }

        @Override
        public void truncate(SegmentName name, long length) {
            throw unexpected();
        }

        @Override
        public Map<SegmentName, Long> lengths(LogId log) {
            throw unexpected();
        }

        @Override
        public void delete(SegmentName name) {
            throw unexpected();
        }

        @Override
        public void deleteLog(LogId log) {
            throw unexpected();
        }

        @Override
        public void saveIndex(SegmentName name, byte[] index) {
            throw unexpected();
        }

        @Override
        public Optional<byte[]> loadIndex(SegmentName name) {
            throw unexpected();
        }

        @Override
        public void close() {}
    }
}
