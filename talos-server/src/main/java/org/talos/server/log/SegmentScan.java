// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.zip.CRC32C;
import org.talos.common.error.Effect;
import org.talos.server.log.EntryFormat.Entry;
import org.talos.server.log.EntryFormat.Header;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentReader;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * Reads the entries of a segment, one after another, and checks each.
 *
 * <p>Confined: one reader.
 */
public final class SegmentScan {
    private static final int CHUNK_BYTES = 128 << 10;
    /** Behind a block that is larger than a chunk: of the next one perhaps only the head is wanted. */
    private static final int HEAD_CHUNK_BYTES = 4 << 10;

    private final SegmentReader reader;
    private final SegmentName name;
    private final long end;
    private final Reason missing; // what it is if bytes before the end are not there
    private long position;
    private int chunk = CHUNK_BYTES;
    private ByteBuffer buffer = ByteBuffer.allocate(0); // holds the bytes from the position on, as far as read

    /** From a position where an entry begins, up to a length; less than that is no end, and UNAVAILABLE. */
    SegmentScan(SegmentReader reader, SegmentName name, long position, long end) {
        this(reader, name, position, end, Reason.UNAVAILABLE);
    }

    /**
     * As that, but with another reason for a reader that gives less than the length.
     *
     * @param end the segment is known to have so many bytes
     * @param missing CORRUPT of a segment that nobody writes any more, and whose files had them all
     */
    SegmentScan(SegmentReader reader, SegmentName name, long position, long end, Reason missing) {
        this.missing = missing;
        this.reader = reader;
        this.name = name;
        this.position = position;
        this.end = end;
    }

    /** Where the next entry begins. */
    long position() {
        return position;
    }

    /**
     * Returns the next entry and moves behind it: for those who cut or count what stands in a segment.
     *
     * @return empty at the end, or where no whole entry stands: compare {@link #position()} with the end
     * @throws StorageException CORRUPT: an entry of an unknown format version, whole or not; UNAVAILABLE: also if not
     *     all bytes can be read that the segment has
     */
    Optional<Entry> next() throws StorageException {
        Optional<Header> header = header();
        if (header.isPresent() && header.get().version() != EntryFormat.VERSION) {
            throw unknownVersion(header.get());
        }
        return entry(header);
    }

    /**
     * Returns the next entry and moves behind it: for those who read the messages of a segment.
     *
     * @return empty at the end, or where no whole entry stands
     * @throws StorageException as {@link #wholeHead}
     */
    Optional<Entry> nextWhole() throws StorageException {
        return entry(wholeHead());
    }

    /**
     * Returns the head of the next entry if its checksum confirms it and the entry ends within the segment. Its block
     * may still be damaged. Nothing moves.
     *
     * @return empty at the end, and where the head is damaged: then nothing that it says is true, its version included
     * @throws StorageException CORRUPT: the whole head of an entry of an unknown format version
     */
    Optional<Header> wholeHead() throws StorageException {
        Optional<Header> header = header().filter(each -> each.plausible() && has(each));
        if (header.isEmpty() || !isWhole(header.get())) {
            return Optional.empty();
        }
        if (header.get().version() != EntryFormat.VERSION) {
            throw unknownVersion(header.get());
        }
        return header;
    }

    /** Moves behind the entry of a whole head, without reading its block. */
    void pass(Header whole) {
        move(whole.entryBytes());
    }

    private StorageException unknownVersion(Header header) {
        return new StorageException(
                Reason.CORRUPT,
                Effect.NONE,
                "segment " + name + " has an entry of format version " + header.version() + " at position " + position
                        + " (expected: " + EntryFormat.VERSION + ")",
                null);
    }

    /** Whether the entry of a head ends within the segment; if not, it is damaged. */
    private boolean has(Header header) {
        return header.entryBytes() <= end - position;
    }

    /** Whether the checksum of a head within the segment confirms it. */
    private boolean isWhole(Header header) throws StorageException {
        if (header.headBytes() > Math.max(CHUNK_BYTES, buffer.remaining())) {
            return checksumOfLong(header) == header.headChecksum();
        }
        fill(header.headBytes());
        return EntryFormat.isHeadWhole(buffer, header);
    }

    /** Keeps none of what it reads: a damaged length may claim all of the segment. */
    private int checksumOfLong(Header header) throws StorageException {
        CRC32C crc = EntryFormat.beginHeadChecksum(buffer);
        for (int at = EntryFormat.HEADER_BYTES; at < header.headBytes(); at += CHUNK_BYTES) {
            ByteBuffer piece = ByteBuffer.allocate(Math.min(CHUNK_BYTES, header.headBytes() - at));
            read(position + at, piece);
            crc.update(piece.flip());
        }
        return (int) crc.getValue();
    }

    private Optional<Entry> entry(Optional<Header> header) throws StorageException {
        if (header.isEmpty() || !has(header.get())) {
            return Optional.empty();
        }
        if (!fillEntry(header.get())) {
            return Optional.empty();
        }
        Optional<Entry> entry = EntryFormat.readEntry(buffer, header.get());
        if (entry.isPresent()) {
            move(header.get().entryBytes());
        }
        return entry;
    }

    /** Whether all of an entry is there to be checked. */
    private boolean fillEntry(Header header) throws StorageException {
        if (buffer.remaining() < header.entryBytes()) {
            // Damage, or a client's bytes, may look like headers that each claim all that follows: of such, only heads
            // are read.
            if (!isWhole(header)) {
                return false;
            }
            fill((int) header.entryBytes());
        }
        return buffer.remaining() >= header.entryBytes();
    }

    private Optional<Header> header() throws StorageException {
        if (position >= end) {
            return Optional.empty();
        }
        fill(EntryFormat.HEADER_BYTES);
        return EntryFormat.readHeader(buffer);
    }

    private void move(long bytes) {
        position += bytes;
        chunk = bytes > CHUNK_BYTES ? HEAD_CHUNK_BYTES : CHUNK_BYTES;
        buffer.position(buffer.position() + (int) Math.min(bytes, buffer.remaining()));
    }

    /** Fills the target: all of it is before the end. Who took less for the end would cut what was acknowledged. */
    private void read(long from, ByteBuffer target) throws StorageException {
        reader.read(name, from, target);
        if (target.hasRemaining()) {
            throw new StorageException(
                    missing,
                    Effect.NONE,
                    "segment " + name + " could not be read to its end, " + target.remaining()
                            + " bytes are missing behind position " + from + " (its length: " + end + ")",
                    null);
        }
    }

    /** Reads until so many bytes from the position on are there, if the segment has them. */
    private void fill(int bytes) throws StorageException {
        if (buffer.remaining() >= bytes) {
            return;
        }
        // A new buffer each time: blocks of the one before may be on their way to a client.
        ByteBuffer next = ByteBuffer.allocate((int) Math.min(Math.max(bytes, chunk), end - position));
        next.put(buffer);
        read(position + next.position(), next);
        buffer = next.flip();
    }

    /** Whether a whole entry of our version begins here; what merely has a header's form may be a client's bytes. */
    private boolean isAtEntry() throws StorageException {
        return entry(header().filter(header -> header.version() == EntryFormat.VERSION))
                .isPresent();
    }

    /** A scan from another place that reads no more than it needs, as there may be no entry. */
    private SegmentScan candidate(long at) {
        SegmentScan scan = new SegmentScan(reader, name, at, end, missing);
        scan.chunk = 0;
        return scan;
    }

    /** Whether a whole entry begins here or anywhere behind. */
    boolean entryIsHereOrFollows() throws StorageException {
        return isAtEntry() || entryFollows();
    }

    /** Whether a whole entry begins anywhere behind the position: then what stands at it is damage, not a torn end. */
    boolean entryFollows() throws StorageException {
        return nextEntry(0, Long.MAX_VALUE).isPresent();
    }

    /** Returns the first offset of the entry at the position, which is damaged, if its head is whole. */
    OptionalLong offsetOfDamaged() throws StorageException {
        return wholeHead().map(head -> OptionalLong.of(head.baseOffset())).orElse(OptionalLong.empty());
    }

    /**
     * Moves behind the damage at the position: behind the entry if its head is whole, else to the next whole entry.
     *
     * @param from the least first offset of that entry: a client's bytes may hold what looks like one
     * @param endOffset of the segment
     * @return the offset of the first message from there on; {@code endOffset} if no entry follows
     */
    long skipDamage(long from, long endOffset) throws StorageException {
        Optional<Header> head = wholeHead();
        if (head.isPresent()) {
            pass(head.get());
            return head.get().endOffset();
        }
        Optional<SegmentScan> found = nextEntry(from, endOffset);
        if (found.isEmpty()) {
            moveTo(end, ByteBuffer.allocate(0));
            return endOffset;
        }
        moveTo(found.get().position, found.get().buffer);
        return EntryFormat.readHeader(buffer).orElseThrow().baseOffset();
    }

    private void moveTo(long to, ByteBuffer from) {
        position = to;
        buffer = from;
    }

    /** Returns a scan at the next whole entry behind the position whose first offset is in a range. */
    private Optional<SegmentScan> nextEntry(long fromOffset, long toOffset) throws StorageException {
        for (long at = position + 1; at + EntryFormat.HEADER_BYTES <= end; at += CHUNK_BYTES) {
            ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(CHUNK_BYTES + EntryFormat.HEADER_BYTES, end - at));
            read(at, chunk);
            chunk.flip();
            for (int i = 0; i < CHUNK_BYTES && i + EntryFormat.HEADER_BYTES <= chunk.limit(); i++) {
                chunk.position(i);
                if (chunk.getInt(i) == EntryFormat.MAGIC && candidate(at + i).isAtEntry(fromOffset, toOffset)) {
                    return Optional.of(candidate(at + i).filled());
                }
            }
        }
        return Optional.empty();
    }

    private boolean isAtEntry(long fromOffset, long toOffset) throws StorageException {
        Optional<Header> header = header();
        return header.isPresent()
                && header.get().baseOffset() >= fromOffset
                && header.get().baseOffset() < toOffset
                && isAtEntry();
    }

    private SegmentScan filled() throws StorageException {
        fill(EntryFormat.HEADER_BYTES);
        return this;
    }

    /**
     * What the entries of a segment are found to be when all are read and their checksums compared. Immutable.
     *
     * @param endOffset one past the last message of the whole entries, from the first on
     * @param bytes up to where they stand
     * @param entries how many there are
     * @param followed whether a whole entry stands behind what is none: that is damage, and no torn end
     * @param misplaced the first offset that is not the next one; the scan has ended before it
     */
    public record Inspection(long endOffset, long bytes, long entries, boolean followed, Optional<Long> misplaced) {
        /** Reads a segment up to a length. Blocks. */
        public static Inspection of(SegmentReader reader, SegmentName name, long length) throws StorageException {
            SegmentScan scan = new SegmentScan(reader, name, 0, length);
            long expected = name.baseOffset();
            long position = 0;
            long entries = 0;
            for (Optional<Entry> entry = scan.next(); entry.isPresent(); entry = scan.next()) {
                StoredBlock stored = entry.get().stored();
                if (stored.baseOffset() != expected) {
                    return new Inspection(expected, position, entries, true, Optional.of(stored.baseOffset()));
                }
                expected = stored.endOffset();
                position = scan.position();
                entries++;
            }
            return new Inspection(
                    expected, position, entries, position < length && scan.entryFollows(), Optional.empty());
        }
    }
}
