// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.zip.CRC32C;
import org.talos.common.error.Effect;
import org.talos.server.log.EntryFormat.Entry;
import org.talos.server.log.EntryFormat.Header;
import org.talos.server.log.checksum.Claims;
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
    /** Read-ahead behind a block that is larger than a chunk: possibly only the head of the next one is needed. */
    private static final int HEAD_CHUNK_BYTES = 4 << 10;
    /**
     * Largest number of possible heads, which may be a client's bytes: as many as 8 MB of heads. They take at most 13
     * MB of memory.
     */
    private static final int MOST_CLAIMS = 1 << 17;

    private final SegmentReader reader;
    private final SegmentName name;
    private final long end;
    private final Reason missing; // the error if bytes before the end are missing
    private long position;
    private int chunk = CHUNK_BYTES;
    private ByteBuffer buffer = ByteBuffer.allocate(0); // holds the bytes from the position on, as far as read

    /**
     * Creates a scan from a position where an entry begins, up to a length. If the reader returns less, that is no end
     * but UNAVAILABLE.
     */
    SegmentScan(SegmentReader reader, SegmentName name, long position, long end) {
        this(reader, name, position, end, Reason.UNAVAILABLE);
    }

    /**
     * Creates the same, but with another reason for a reader that returns less than the length.
     *
     * @param end the segment is known to have this number of bytes
     * @param missing CORRUPT for a segment that has no writer any more, and whose files had all bytes
     */
    SegmentScan(SegmentReader reader, SegmentName name, long position, long end, Reason missing) {
        this.missing = missing;
        this.reader = reader;
        this.name = name;
        this.position = position;
        this.end = end;
    }

    /** Returns where the next entry begins. */
    long position() {
        return position;
    }

    /** Returns whether nothing is behind the position. */
    boolean isAtEnd() {
        return position >= end;
    }

    /**
     * Returns the next entry and moves behind it: for callers that cut a segment or count its entries.
     *
     * @return empty at the end, or if there is no whole entry: compare {@link #position()} with the end
     * @throws StorageException CORRUPT: an entry of an unknown format version, whole or not; UNAVAILABLE: also if some
     *     of the segment's bytes cannot be read
     */
    Optional<Entry> next() throws StorageException {
        Optional<Header> header = header();
        if (header.isPresent() && header.get().version() != EntryFormat.VERSION) {
            throw unknownVersion(header.get());
        }
        return entry(header);
    }

    /**
     * Returns the next entry and moves behind it: for callers that read a segment's messages.
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
     * @return empty at the end, and if the head is damaged: then no field of it can be trusted, not even its version
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

    /** Returns whether the entry of a head ends within the segment; if not, it is damaged. */
    private boolean has(Header header) {
        return header.entryBytes() <= end - position;
    }

    /** Returns whether the checksum of a head within the segment confirms it. */
    private boolean isWhole(Header header) throws StorageException {
        if (header.headBytes() > Math.max(CHUNK_BYTES, buffer.remaining())) {
            return checksumOfLong(header) == header.headChecksum();
        }
        fill(header.headBytes());
        return EntryFormat.isHeadWhole(buffer, header);
    }

    /** Keeps none of the bytes that it reads: a damaged length may claim the whole segment. */
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

    /** Returns whether all of an entry is there to be checked. */
    private boolean fillEntry(Header header) throws StorageException {
        if (buffer.remaining() < header.entryBytes()) {
            // Damage, or a client's bytes, may look like headers that each claim all bytes behind them. Of these, only
            // heads are read.
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

    /** Fills the target, all of which is before the end. An earlier end would cut off acknowledged messages. */
    private void read(long from, ByteBuffer target) throws StorageException {
        read(from, target, target.remaining());
    }

    /** Fills at least a number of bytes of the target. */
    private void read(long from, ByteBuffer target, int bytes) throws StorageException {
        int most = target.remaining();
        reader.read(name, from, target);
        if (most - target.remaining() < bytes) {
            throw new StorageException(
                    missing,
                    Effect.NONE,
                    "segment " + name + " could not be read to its end, " + target.remaining()
                            + " bytes are missing behind position " + from + " (its length: " + end + ")",
                    null);
        }
    }

    /** Reads this number of bytes from the position on, if the segment has them. */
    private void fill(int bytes) throws StorageException {
        if (buffer.remaining() >= bytes) {
            return;
        }
        // A new buffer each time: blocks of the previous one may be on their way to a client.
        ByteBuffer next = ByteBuffer.allocate((int) Math.min(Math.max(bytes, chunk), end - position));
        next.put(buffer);
        int needed = Math.min(bytes, next.capacity()) - next.position();
        read(position + next.position(), next, needed);
        buffer = next.flip();
    }

    /** Returns whether a whole entry begins here or anywhere behind. */
    boolean entryIsHereOrFollows() throws StorageException {
        return nextEntry(position, 0, Long.MAX_VALUE).isPresent();
    }

    /**
     * Returns whether a whole entry begins anywhere behind the entry at the position. If so, that entry is damaged, not
     * torn.
     */
    boolean entryFollows() throws StorageException {
        return nextEntry(behindHead(), 0, Long.MAX_VALUE).isPresent();
    }

    /** Returns where the next entry can begin: if the head here is whole, the bytes that it claims are a client's. */
    private long behindHead() throws StorageException {
        Optional<Header> header =
                header().filter(each -> each.version() == EntryFormat.VERSION && each.headBytes() <= end - position);
        return header.isPresent() && isWhole(header.get())
                ? position + header.get().entryBytes()
                : position + 1;
    }

    /** Returns the first offset of the damaged entry at the position, if its head is whole. */
    OptionalLong offsetOfDamaged() throws StorageException {
        return wholeHead().map(head -> OptionalLong.of(head.baseOffset())).orElse(OptionalLong.empty());
    }

    /**
     * Moves behind the damage at the position: behind the entry if its head is whole, otherwise to the next whole
     * entry.
     *
     * @param from lowest first offset of that entry: a client's bytes may contain something that looks like one
     * @param endOffset of the segment
     * @return the offset of the first message from there on; {@code endOffset} if no entry follows
     */
    long skipDamage(long from, long endOffset) throws StorageException {
        Optional<Header> head = wholeHead();
        if (head.isPresent()) {
            pass(head.get());
            return head.get().endOffset();
        }
        OptionalLong found = nextEntry(position + 1, from, endOffset);
        moveTo(found.orElse(end));
        return found.isEmpty() ? endOffset : header().orElseThrow().baseOffset();
    }

    /** Moves to a position where an entry begins, or to the end. */
    void moveTo(long to) {
        position = to;
        buffer = ByteBuffer.allocate(0);
    }

    /** Returns the position of the next whole entry, at or behind a position, with its first offset in a range. */
    private OptionalLong nextEntry(long from, long fromOffset, long toOffset) throws StorageException {
        long at = from;
        while (at < end) {
            Search search = new Search(at, fromOffset, toOffset);
            OptionalLong found = search.run();
            if (found.isPresent()) {
                return found;
            }
            at = search.next;
        }
        return OptionalLong.empty();
    }

    /**
     * Searches for a whole entry of our version. Something that only has a head's form may be damage or a client's
     * bytes, and may claim all bytes behind it. So each byte is read once, whatever claims it. If more heads claim
     * bytes at a time than are remembered, a further search covers the rest.
     *
     * <p>Confined: as the scan.
     */
    private final class Search {
        private final long from;
        private final long fromOffset;
        private final long toOffset;
        private final Claims claims;
        private long next = end; // where a further search begins

        Search(long from, long fromOffset, long toOffset) {
            this.from = from;
            this.fromOffset = fromOffset;
            this.toOffset = toOffset;
            claims = new Claims(from, MOST_CLAIMS);
        }

        OptionalLong run() throws StorageException {
            ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(CHUNK_BYTES + EntryFormat.HEADER_BYTES, end - from));
            for (long at = from; at < end && (isLooking() || !claims.isDecided()); at += CHUNK_BYTES) {
                chunk.clear().limit((int) Math.min(chunk.capacity(), end - at));
                read(at, chunk);
                look(chunk.flip(), at);
            }
            return claims.found();
        }

        private boolean isLooking() {
            return next == end && claims.found().isEmpty();
        }

        /**
         * Examines the possible begins in a chunk. Behind the chunk are bytes for the last head, which are the next
         * chunk's first.
         */
        private void look(ByteBuffer chunk, long at) {
            int bytes = Math.min(CHUNK_BYTES, chunk.limit());
            int read = 0;
            for (int i = 0; i < bytes && i + EntryFormat.HEADER_BYTES <= chunk.limit() && isLooking(); i++) {
                if (chunk.getInt(i) == EntryFormat.MAGIC && isCandidate(chunk.position(i), at + i)) {
                    claims.read(chunk.slice(read, i - read));
                    read = i;
                    claim(chunk, at + i);
                }
            }
            claims.read(chunk.slice(read, bytes - read));
        }

        private boolean isCandidate(ByteBuffer in, long at) {
            return EntryFormat.readHeader(in)
                    .filter(header -> header.version() == EntryFormat.VERSION
                            && header.entryBytes() <= end - at
                            && header.baseOffset() >= fromOffset
                            && header.baseOffset() < toOffset)
                    .isPresent();
        }

        private void claim(ByteBuffer in, long at) {
            if (claims.isFull()) {
                next = at;
            } else if (isLooking()) { // the bytes up to here may have decided it
                EntryFormat.claim(in, claims);
            }
        }
    }

    /**
     * The findings of an inspection, which reads all entries of a segment and compares their checksums. Immutable.
     *
     * @param endOffset one past the last message of the whole puts, from the first on
     * @param bytes up to where they stand
     * @param entries number of whole entries
     * @param followed whether a whole entry follows the invalid one: then it is damaged, not torn
     * @param misplaced first offset that is not the next one; the scan has ended before it
     */
    public record Inspection(long endOffset, long bytes, long entries, boolean followed, Optional<Long> misplaced) {
        /** Reads a segment up to a length. Blocks. */
        public static Inspection of(SegmentReader reader, SegmentName name, long length) throws StorageException {
            SegmentScan scan = new SegmentScan(reader, name, 0, length);
            long expected = name.baseOffset();
            long position = 0;
            long entries = 0;
            long endOffset = expected;
            long bytes = 0;
            for (Optional<Entry> entry = scan.next(); entry.isPresent(); entry = scan.next()) {
                StoredBlock stored = entry.get().stored();
                if (stored.baseOffset() != expected) {
                    return new Inspection(endOffset, bytes, entries, true, Optional.of(stored.baseOffset()));
                }
                expected = stored.endOffset();
                position = scan.position();
                entries++;
                Header header = entry.get().header();
                if (header.blockIndex() == header.blocksOfPut() - 1) {
                    endOffset = expected;
                    bytes = position;
                }
            }
            return new Inspection(
                    endOffset, bytes, entries, position < length && scan.entryFollows(), Optional.empty());
        }
    }
}
