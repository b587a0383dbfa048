// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.log.EntryFormat.Entry;
import org.talos.server.log.EntryFormat.Header;
import org.talos.server.log.index.SegmentIndexes;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.thrift.ErrorCode;

/** Reads blocks of a log from its segments. Thread-safe. Every call may block. */
final class LogReader {
    private final SegmentStore store;
    private final NavigableMap<Long, LogSegment> segments;
    private final SegmentIndexes indexes;
    private final int indexIntervalBytes;

    LogReader(
            SegmentStore store,
            NavigableMap<Long, LogSegment> segments,
            SegmentIndexes indexes,
            int indexIntervalBytes) {
        this.store = store;
        this.segments = segments;
        this.indexes = indexes;
        this.indexIntervalBytes = indexIntervalBytes;
    }

    /**
     * Whole blocks from the one that holds the offset on, within the limits and the room, but always one.
     *
     * @param durableEnd the offset lies before it, and nothing at or behind it is read
     * @throws StorageException CORRUPT: acknowledged messages can't be read
     * @throws TalosException EXCESSIVE_PENDING_MESSAGE: there is no room for one block
     */
    List<StoredBlock> read(long offset, long durableEnd, BlockLimits limits, BlockLimits.Room room)
            throws StorageException {
        List<StoredBlock> blocks = new ArrayList<>();
        BlockLimits.Count count = limits.count();
        long next = offset;
        while (next < durableEnd) {
            LogSegment segment = segmentOf(next);
            Until until = new Until(Math.min(durableEnd, segment.endOffset()), count, room);
            if (!readSegment(segment, next, until, blocks)) {
                break;
            }
            next = segment.endOffset();
        }
        return trimmed(blocks);
    }

    /**
     * Copies the blocks out of those arrays of which they are a small part: an answer keeps them until its reader has
     * taken it, and only its own bytes are counted.
     */
    private static List<StoredBlock> trimmed(List<StoredBlock> blocks) {
        IdentityHashMap<byte[], Long> used = new IdentityHashMap<>();
        for (StoredBlock each : blocks) {
            ByteBuffer bytes = each.block().bytes();
            used.merge(Block.array(bytes), (long) bytes.remaining(), Long::sum);
        }
        return blocks.stream()
                .map(each -> {
                    byte[] array = Block.array(each.block().bytes());
                    return Block.isWasted(used.getOrDefault(array, 0L), array.length) ? each.trimmed() : each;
                })
                .toList();
    }

    private LogSegment segmentOf(long offset) throws StorageException {
        Map.Entry<Long, LogSegment> found = segments.floorEntry(offset);
        if (found == null || found.getValue().endOffset() <= offset) {
            throw new StorageException(Reason.UNAVAILABLE, Effect.NONE, "no segment holds offset " + offset, null);
        }
        return found.getValue();
    }

    /** What ends the reading of a segment. Confined: one read. */
    private record Until(long end, BlockLimits.Count count, BlockLimits.Room room) {
        /**
         * Whether the block of a head is still to be read; its bytes are taken from the room.
         *
         * @throws TalosException EXCESSIVE_PENDING_MESSAGE: it would be the first, and there is no room for it
         */
        boolean allows(Header head, boolean first) {
            if (!count.fits(head.messages(), head.blockBytes())) {
                return false;
            }
            boolean fits = room.tryTake(head.blockBytes());
            if (!fits && first) {
                throw TalosException.refused(
                        ErrorCode.EXCESSIVE_PENDING_MESSAGE, "the server has no memory for reading from storage now");
            }
            return fits;
        }
    }

    /** Adds the blocks of one segment up to an offset; false if limits or room ended it before. */
    private boolean readSegment(LogSegment segment, long offset, Until until, List<StoredBlock> blocks)
            throws StorageException {
        long position = segment.index(store, indexes, indexIntervalBytes).positionOf(offset);
        SegmentScan scan = scan(segment, position);
        long next = offset;
        while (next < until.end) {
            Optional<Header> head = scan.head();
            if (head.isPresent() && scan.has(head.get()) && !until.allows(head.get(), blocks.isEmpty())) {
                return false; // without reading its block; damaged or not, the read that begins here sees that
            }
            Optional<Entry> entry = scan.next();
            if (entry.isEmpty()) {
                throw damaged(segment, scan);
            }
            StoredBlock block = entry.get().stored();
            if (block.endOffset() > next) {
                if (!until.count.take(block)) {
                    return false;
                }
                blocks.add(block);
                next = block.endOffset();
            }
        }
        return true;
    }

    /**
     * Of a segment that is not sealed here bytes may be missing for a while and be sound: another server has taken it
     * over, and its journal is not brought into its files yet.
     */
    private SegmentScan scan(LogSegment segment, long position) {
        Reason missing = segment.isSealed() ? Reason.CORRUPT : Reason.UNAVAILABLE;
        return new SegmentScan(store, segment.name(), position, segment.bytes(), missing);
    }

    private static StorageException damaged(LogSegment segment, SegmentScan scan) {
        return new StorageException(
                Reason.CORRUPT,
                Effect.NONE,
                "segment " + segment.name() + " is damaged at position " + scan.position(),
                null);
    }

    /**
     * First offset that was appended at or after a time; {@code durableEnd} if none was.
     *
     * @throws StorageException CORRUPT: it may be among messages that can't be read
     */
    long offsetAtTime(long timestamp, long durableEnd) throws StorageException {
        for (LogSegment segment : segments.values()) {
            if (segment.lastAppendTimestamp() >= timestamp && segment.endOffset() > segment.baseOffset()) {
                OptionalLong found = offsetAtTime(segment, timestamp, durableEnd);
                if (found.isPresent()) {
                    return Math.min(found.getAsLong(), durableEnd);
                }
            }
        }
        return durableEnd;
    }

    private OptionalLong offsetAtTime(LogSegment segment, long timestamp, long durableEnd) throws StorageException {
        long position = segment.index(store, indexes, indexIntervalBytes).positionBefore(timestamp);
        SegmentScan scan = scan(segment, position);
        long next = segment.baseOffset();
        for (Optional<Entry> entry = scan.next(); entry.isPresent(); entry = scan.next()) {
            StoredBlock block = entry.get().stored();
            if (block.appendTimestamp() >= timestamp) {
                return OptionalLong.of(block.baseOffset());
            }
            next = block.endOffset();
        }
        if (next < Math.min(durableEnd, segment.endOffset())) {
            throw damaged(segment, scan);
        }
        return OptionalLong.empty();
    }
}
