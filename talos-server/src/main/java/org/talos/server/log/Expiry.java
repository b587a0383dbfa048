// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.util.NavigableMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.log.time.OpeningTimes;
import org.talos.server.log.time.Retention;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentDeletions;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * Deletes sealed segments that are past their retention, oldest first, and messages that a user deletes.
 *
 * <p>Thread-safe: one deletion at a time.
 */
final class Expiry {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionLog.class);
    private static final int REMOVED_AT_ONCE = 16; // segments: reads of the partition wait for a user's deletion

    private final LogId id;
    private final SegmentCatalog catalog;
    private final NavigableMap<Long, LogSegment> segments;
    private final OpeningTimes times;
    private final SegmentDeletions deletions;
    private final BooleanSupplier ended;

    /**
     * Creates the expiry of a log, which deletes nothing before {@link #apply}.
     *
     * @param segments of the log, by their first offsets; may change at any time
     * @param ended whether the log is closed: then nothing more is deleted
     */
    Expiry(
            LogId id,
            SegmentCatalog catalog,
            NavigableMap<Long, LogSegment> segments,
            OpeningTimes times,
            SegmentDeletions deletions,
            BooleanSupplier ended) {
        this.id = id;
        this.catalog = catalog;
        this.segments = segments;
        this.times = times;
        this.deletions = deletions;
        this.ended = ended;
    }

    /**
     * Deletes segments that are too old or too many. Blocks.
     *
     * @param onRemoved runs for each segment that no longer belongs to the log, before its file is deleted
     */
    synchronized Retention.Signs apply(Retention limits, Consumer<SegmentCatalog.Known> onRemoved) {
        deletions.retry();
        long newest = lastTimestamp();
        boolean spares = limits.sparesOldLogs() && (limits.isTooOld(newest) || times.hadPause(limits));
        boolean spared = false;
        try {
            removeUnreadable(Integer.MAX_VALUE, onRemoved);
            spared = remove(limits, spares, onRemoved);
        } catch (StorageException e) {
            if (!ended.getAsBoolean()) {
                LOG.warn("retention stopped log={}", id, e);
            }
        }
        return new Retention.Signs(spared, times.isAhead(newest, limits.nowMillis()));
    }

    /** Returns whether it has kept messages that are too old. */
    private boolean remove(Retention limits, boolean spares, Consumer<SegmentCatalog.Known> onRemoved)
            throws StorageException {
        for (SegmentCatalog.Known oldest : catalog.segments()) {
            boolean tooOld = limits.isTooOld(timestamp(oldest));
            boolean tooMuch = limits.maxBytes() > 0 && sealedBytes() > limits.maxBytes();
            if (ended.getAsBoolean() || isOpen(oldest) || !((tooOld && !spares) || tooMuch)) {
                return spares && tooOld && oldest.sealed();
            }
            remove(oldest, onRemoved);
        }
        return false;
    }

    private void remove(SegmentCatalog.Known oldest, Consumer<SegmentCatalog.Known> onRemoved) throws StorageException {
        catalog.remove(oldest.name(), oldest.endOffset());
        onRemoved.accept(oldest);
        deletions.delete(oldest.name());
        LOG.info("segment expired segment={} messages to offset={}", oldest.name(), oldest.endOffset());
    }

    /**
     * Sets the first offset of the log, and deletes the first whole segments before it. {@link #apply} deletes the
     * others. A failure to delete segments is logged and retried, since their messages cannot be read any more. Blocks.
     *
     * @param onDeleted runs once the catalog has it
     * @param onRemoved as that of {@link #apply}
     * @throws StorageException nothing is deleted, or that is not known
     */
    synchronized void deleteBefore(long offset, Runnable onDeleted, Consumer<SegmentCatalog.Known> onRemoved)
            throws StorageException {
        if (ended.getAsBoolean()) {
            throw new StorageException(Reason.FENCED, Effect.NONE, "log " + id + " is closed", null);
        }
        catalog.readFrom(offset);
        onDeleted.run();
        LOG.info("messages deleted log={} to offset={}", id, offset);
        try {
            removeUnreadable(REMOVED_AT_ONCE, onRemoved);
        } catch (StorageException e) {
            LOG.warn("segments of deleted messages left, will retry log={}", id, e);
        }
    }

    private void removeUnreadable(int most, Consumer<SegmentCatalog.Known> onRemoved) throws StorageException {
        int left = most;
        for (SegmentCatalog.Known oldest : catalog.segments()) {
            if (left-- == 0 || ended.getAsBoolean() || isOpen(oldest) || oldest.endOffset() > catalog.readableFrom()) {
                return;
            }
            remove(oldest, onRemoved);
        }
    }

    /** Returns whether messages are appended to it, or behind it if it is a gap. */
    private boolean isOpen(SegmentCatalog.Known segment) {
        boolean continued = !segments.tailMap(segment.endOffset(), true).isEmpty();
        return !segment.sealed() || (segment.isGap() && !continued);
    }

    /**
     * Returns the latest possible time of its last append. A clock that was ahead may have given it a later timestamp
     * than the segments behind it have; those are right then.
     */
    private long timestamp(SegmentCatalog.Known sealed) {
        return segments.tailMap(sealed.endOffset(), true).values().stream()
                .filter(LogSegment::isUsed)
                .mapToLong(LogSegment::lastAppendTimestamp)
                .reduce(sealed.lastAppendTimestamp(), Math::min);
    }

    /** Returns the timestamp of the newest message, ms since 1970; 0 in a log without messages. */
    private long lastTimestamp() {
        return segments.descendingMap().values().stream()
                .filter(LogSegment::isUsed)
                .mapToLong(LogSegment::lastAppendTimestamp)
                .findFirst()
                .orElse(0);
    }

    private long sealedBytes() {
        return catalog.segments().stream()
                .filter(SegmentCatalog.Known::sealed)
                .mapToLong(SegmentCatalog.Known::bytes)
                .sum();
    }

    /** Deletes the segment that is being written and the segments that wait to be sealed, of a deleted log. Blocks. */
    synchronized void discardUnsealed() {
        catalog.segments().stream().filter(each -> !each.sealed()).forEach(each -> deletions.delete(each.name()));
    }
}
