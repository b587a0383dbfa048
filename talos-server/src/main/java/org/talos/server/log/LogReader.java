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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.log.EntryFormat.Entry;
import org.talos.server.log.EntryFormat.Header;
import org.talos.server.log.index.DamagedPlaces;
import org.talos.server.log.index.SegmentIndexes;
import org.talos.server.log.index.SparseIndex;
import org.talos.server.runtime.FirstLine;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.thrift.ErrorCode;

/** Reads blocks of a log from its segments. Thread-safe. Every call may block. */
final class LogReader {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionLog.class);

    /** Damaged places of which the log warns; further ones are only reported to clients. */
    private static final int MOST_WARNINGS = 100;

    private final LogId id;
    private final Set<Long> warned = ConcurrentHashMap.newKeySet(); // of first offsets
    private volatile boolean hasMetDamage; // only ever becomes true
    private final SegmentStore store;
    private final NavigableMap<Long, LogSegment> segments;
    private final SegmentIndexes indexes;
    private final int indexIntervalBytes;
    private final DamagedPlaces damage;

    LogReader(
            LogId id,
            SegmentStore store,
            NavigableMap<Long, LogSegment> segments,
            SegmentIndexes indexes,
            int indexIntervalBytes,
            Ticker ticker) {
        this.id = id;
        this.store = store;
        this.segments = segments;
        this.indexes = indexes;
        this.indexIntervalBytes = indexIntervalBytes;
        damage = new DamagedPlaces(ticker);
    }

    /** Unreadable messages, as the cause of a failure. Immutable. */
    static final class Damage extends Exception {
        private final TalosException.Offsets offsets;

        Damage(TalosException.Offsets offsets) {
            super("offsets " + offsets.first() + " to " + offsets.last(), null, false, false);
            this.offsets = offsets;
        }

        TalosException.Offsets offsets() {
            return offsets;
        }
    }

    /** Logs a failed read, unless {@link #damaged} has warned of its damage. */
    void logFailure(String asked, StorageException e) {
        if (e.reason() == Reason.CORRUPT) {
            hasMetDamage = true;
        }
        if (StorageException.isMissingFile(e)) {
            LOG.error("messages unreadable, file missing log={} {} cause={}", id, asked, e.getMessage());
        } else if (!(e.getCause() instanceof Damage)) {
            LOG.error("messages unreadable log={} {}", id, asked, e);
        }
    }

    /** Returns whether a read has met damage. */
    boolean hasMetDamage() {
        return hasMetDamage;
    }

    /**
     * Returns whole blocks from the one with the offset on, within the limits and the room, but at least one. Blocks
     * before damage are returned: only a read that begins at the damage fails.
     *
     * @param durableEnd exclusive end of the read, behind the offset
     * @throws StorageException CORRUPT: acknowledged messages cannot be read
     * @throws TalosException EXCESSIVE_PENDING_MESSAGE: there is no room for one block
     */
    List<StoredBlock> read(long offset, long durableEnd, BlockLimits limits, BlockLimits.Room room)
            throws StorageException {
        List<StoredBlock> blocks = new ArrayList<>();
        BlockLimits.Count count = limits.count();
        long next = offset;
        while (next < durableEnd) {
            LogSegment segment = segmentOf(next);
            if (segment.isGap()) {
                next = segment.endOffset();
                continue;
            }
            Until until = new Until(Math.min(durableEnd, segment.endOffset()), count, room);
            try {
                if (!readSegment(segment, next, until, blocks)) {
                    break;
                }
            } catch (StorageException e) {
                if (blocks.isEmpty() || e.reason() != Reason.CORRUPT) {
                    throw e;
                }
                break;
            }
            next = segment.endOffset();
        }
        return trimmed(blocks);
    }

    /**
     * Copies blocks that are a small part of their array: an answer keeps the whole array until its client has read it,
     * and only the block's own bytes are counted.
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

    /** The limits of reading a segment. Confined: one read. */
    private record Until(long end, BlockLimits.Count count, BlockLimits.Room room) {
        /**
         * Returns whether to read the block of a head; takes its bytes from the room.
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

    /** Adds the blocks of one segment up to an offset; returns false if limits or room ended it before. */
    private boolean readSegment(LogSegment segment, long offset, Until until, List<StoredBlock> blocks)
            throws StorageException {
        SparseIndex index = index(segment);
        SegmentScan scan = scan(segment, index.positionOf(offset));
        long next = offset;
        long whole = index.offsetOf(offset, segment.baseOffset()); // behind the last entry that was whole
        while (next < until.end) {
            Optional<Header> head = isKnownDamage(segment, scan) ? Optional.empty() : scan.wholeHead();
            if (head.isPresent() && head.get().endOffset() <= next) {
                scan.pass(head.get()); // its block is not needed, and takes no room
                whole = head.get().endOffset();
                continue;
            }
            if (head.isPresent() && !until.allows(head.get(), blocks.isEmpty())) {
                return false; // without reading its block; the read that begins here finds its damage
            }
            Optional<Entry> entry = head.isEmpty() ? Optional.empty() : scan.next();
            if (entry.isEmpty()) {
                whole = behindDamage(segment, scan, whole, next);
                continue;
            }
            StoredBlock block = entry.get().stored();
            if (!until.count.take(block)) {
                return false;
            }
            blocks.add(block);
            next = block.endOffset();
            whole = next;
        }
        return true;
    }

    /**
     * If a segment was not sealed here, bytes may be missing for a while without damage: another server has taken it
     * over, and has not yet copied its journal into its files.
     */
    private SegmentScan scan(LogSegment segment, long position) {
        Reason missing = segment.isSealed() ? Reason.CORRUPT : Reason.UNAVAILABLE;
        return new SegmentScan(store, segment.name(), position, segment.bytes(), missing);
    }

    /**
     * Moves a scan behind the damage at its position.
     *
     * @param whole one past the last message before the damage that the scan has seen
     * @param wanted the offset to be read
     * @return the first offset behind the damage, at most the wanted one
     * @throws StorageException CORRUPT: the wanted offset is damaged
     */
    private long behindDamage(LogSegment segment, SegmentScan scan, long whole, long wanted) throws StorageException {
        long position = scan.position();
        OptionalLong known = isKnownDamage(segment, scan) ? OptionalLong.empty() : scan.offsetOfDamaged();
        long first = known.isPresent() ? Math.max(whole, known.getAsLong()) : whole;
        long behind = known.isPresent()
                ? scan.skipDamage(first + 1, segment.endOffset())
                : skipDamagedHead(segment, scan, first + 1);
        if (behind <= wanted) {
            return behind;
        }
        throw damaged(segment, position, Math.min(first, wanted), behind - 1);
    }

    private boolean isKnownDamage(LogSegment segment, SegmentScan scan) {
        return damage.end(segment.name(), scan.position()).isPresent();
    }

    /**
     * As {@link SegmentScan#skipDamage}, for a damaged head, but searches for the end of the damage only occasionally.
     */
    private long skipDamagedHead(LogSegment segment, SegmentScan scan, long from) throws StorageException {
        long position = scan.position();
        Optional<DamagedPlaces.End> known = damage.end(segment.name(), position);
        if (known.isPresent()) {
            scan.moveTo(known.get().position());
            return known.get().offset();
        }
        long behind = scan.skipDamage(from, segment.endOffset());
        if (segment.isSealed() || !scan.isAtEnd()) { // else an entry may still come
            damage.found(segment.name(), position, new DamagedPlaces.End(scan.position(), behind));
        }
        return behind;
    }

    private StorageException damaged(LogSegment segment, long position, long first, long last) {
        hasMetDamage = true;
        if (warned.size() < MOST_WARNINGS && warned.add(first)) {
            LOG.warn(
                    "messages are damaged, the rest of the partition is served partition={} segment={} position={} first={}"
                            + " last={}: look at the segment's disk, and see what else is damaged with bin/talos doctor;"
                            + " readers can leave these offsets out",
                    id,
                    segment.name(),
                    position,
                    first,
                    last);
        }
        return new StorageException(
                Reason.CORRUPT,
                Effect.NONE,
                "segment " + segment.name() + " is damaged at position " + position,
                new Damage(new TalosException.Offsets(id.partition(), first, last)));
    }

    /**
     * Returns the first offset that was appended at or after a time; {@code durableEnd} if there is none.
     *
     * @throws StorageException CORRUPT: it may be among unreadable messages
     */
    long offsetAtTime(long timestamp, long durableEnd) throws StorageException {
        for (LogSegment segment :
                segments.tailMap(surelyBefore(timestamp), true).values()) {
            if (segment.lastAppendTimestamp() >= timestamp && segment.isUsed()) {
                OptionalLong found = offsetAtTime(segment, timestamp, durableEnd);
                if (found.isPresent()) {
                    return Math.min(found.getAsLong(), durableEnd);
                }
            }
        }
        return durableEnd;
    }

    /**
     * Returns an offset before which all messages were appended earlier than a time: the first such offset, unless
     * timestamps have gone back since. Timestamps of a clock that was ahead count as no later than the messages after
     * them.
     */
    private long surelyBefore(long timestamp) throws StorageException {
        long offset = 0;
        long last = 0;
        for (LogSegment segment : segments.values()) {
            if (segment.isUsed()) {
                boolean wentBack = segment.lastAppendTimestamp() < last;
                if (wentBack && index(segment).firstTimestamp() < timestamp) {
                    offset = segment.baseOffset();
                }
                last = segment.lastAppendTimestamp();
            }
        }
        return offset;
    }

    /** Returns the number of bytes before an offset; within a segment, before the last point of its index. */
    long bytesBefore(long offset) {
        long bytes = 0;
        for (LogSegment segment : segments.headMap(offset, false).values()) {
            if (segment.endOffset() <= offset) {
                bytes += segment.bytes();
            } else if (!segment.isGap()) {
                bytes += bytesBefore(offset, segment);
            }
        }
        return bytes;
    }

    /** Returns the same within a segment; 0 if it cannot be read. */
    private long bytesBefore(long offset, LogSegment segment) {
        try {
            return index(segment).positionOf(offset);
        } catch (StorageException e) {
            LOG.info("bytes of a part not known segment={} cause={}", segment.name(), FirstLine.of(e));
            return 0;
        }
    }

    private SparseIndex index(LogSegment segment) throws StorageException {
        return segment.index(store, indexes, indexIntervalBytes);
    }

    private OptionalLong offsetAtTime(LogSegment segment, long timestamp, long durableEnd) throws StorageException {
        SparseIndex index = index(segment);
        SegmentScan scan = scan(segment, index.positionBefore(timestamp));
        long next = index.offsetBefore(timestamp, segment.baseOffset());
        for (Optional<Header> head = scan.wholeHead(); head.isPresent(); head = scan.wholeHead()) {
            if (head.get().appendTimestamp() >= timestamp) {
                if (scan.next().isPresent()) {
                    return OptionalLong.of(head.get().baseOffset());
                }
                break;
            }
            scan.pass(head.get());
            next = head.get().endOffset();
        }
        if (next < Math.min(durableEnd, segment.endOffset())) {
            long damagedAt = scan.position();
            long behind = scan.offsetOfDamaged().isPresent()
                    ? scan.skipDamage(next + 1, segment.endOffset())
                    : skipDamagedHead(segment, scan, next + 1);
            throw damaged(segment, damagedAt, next, behind - 1);
        }
        return OptionalLong.empty();
    }
}
