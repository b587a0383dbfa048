// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.log.EntryFormat.Header;
import org.talos.server.log.gap.Gaps;
import org.talos.server.log.index.SegmentIndexes;
import org.talos.server.log.index.SparseIndex;
import org.talos.server.runtime.FirstLine;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * A segment as its log knows it: its end, and its index until that is saved. A saved index is read when it is needed.
 *
 * <p>Thread-safe: {@link #grown} is called under the appender's lock, or by the opening thread before anyone reads it.
 */
final class LogSegment implements Gaps.Part {
    private static final Logger LOG = LoggerFactory.getLogger(LogSegment.class);

    private final SegmentName name;
    private volatile @Nullable SparseIndex unsaved;
    private volatile long endOffset;
    private volatile long bytes;
    private volatile long lastAppendTimestamp;

    /** Creates a segment, with its index if that is not saved yet. */
    LogSegment(SegmentName name, @Nullable SparseIndex unsaved) {
        this.name = name;
        this.unsaved = unsaved;
        endOffset = name.baseOffset();
    }

    static LogSegment of(SegmentCatalog.Known known) {
        LogSegment segment = new LogSegment(known.name(), null);
        segment.grown(known.endOffset(), known.bytes(), known.lastAppendTimestamp());
        return segment;
    }

    void grown(long end, long length, long timestamp) {
        bytes = length;
        endOffset = end;
        lastAppendTimestamp = timestamp; // last: a reader that finds a time in it finds its bytes
    }

    SegmentCatalog.Known known() {
        return SegmentCatalog.Known.sealed(name, endOffset, bytes, lastAppendTimestamp);
    }

    SegmentName name() {
        return name;
    }

    /** Returns whether it is a {@link SegmentCatalog.Known#gap}, which has no file. */
    @Override
    public boolean isGap() {
        return isSealed() && bytes == 0 && endOffset > baseOffset();
    }

    @Override
    public long baseOffset() {
        return name.baseOffset();
    }

    @Override
    public long endOffset() {
        return endOffset;
    }

    long bytes() {
        return bytes;
    }

    long lastAppendTimestamp() {
        return lastAppendTimestamp;
    }

    /** Returns whether it has messages. */
    boolean isUsed() {
        return bytes > 0;
    }

    /** Returns whether its files have all of it, for good. */
    boolean isSealed() {
        return unsaved == null;
    }

    /** The index is saved, and from now on kept in memory only as long as there is room. */
    void indexSaved(SparseIndex saved, SegmentIndexes indexes) {
        indexes.keep(name, saved);
        unsaved = null;
    }

    /** Returns the index: from memory, from its file, or built by reading the segment. Blocks. */
    SparseIndex index(SegmentStore store, SegmentIndexes indexes, int intervalBytes) throws StorageException {
        SparseIndex growing = unsaved;
        Optional<SparseIndex> known = growing == null ? indexes.find(name) : Optional.of(growing);
        if (known.isPresent()) {
            return known.get();
        }
        Optional<SparseIndex> saved = savedIndex(store, name, intervalBytes);
        SparseIndex fetched = saved.isPresent() ? saved.get() : build(store, intervalBytes);
        indexes.keep(name, fetched);
        return fetched;
    }

    /** Returns the saved index, or empty if it cannot be read; the segment has all of its information. */
    static Optional<SparseIndex> savedIndex(SegmentStore store, SegmentName name, int intervalBytes) {
        try {
            return store.loadIndex(name).flatMap(bytes -> SparseIndex.decode(bytes, intervalBytes));
        } catch (StorageException e) {
            LOG.warn("index cannot be read; reading the segment instead segment={} cause={}", name, FirstLine.of(e));
            return Optional.empty();
        }
    }

    private SparseIndex build(SegmentStore store, int intervalBytes) throws StorageException {
        SparseIndex built = new SparseIndex(intervalBytes);
        try {
            build(built, new SegmentScan(store, name, 0, bytes, Reason.CORRUPT));
        } catch (StorageException e) {
            if (e.reason() != Reason.CORRUPT) {
                throw e;
            }
            LOG.warn("index of a segment truncated, its reads fail from here on segment={}", name, e);
        }
        return built;
    }

    /** Reads from head to head, and continues behind damage: the part behind it gets its points too. */
    private void build(SparseIndex built, SegmentScan scan) throws StorageException {
        long next = name.baseOffset();
        while (scan.position() < bytes) {
            Optional<Header> head = scan.wholeHead();
            if (head.isPresent()) {
                built.add(head.get().baseOffset(), head.get().appendTimestamp(), scan.position());
                scan.pass(head.get());
                next = head.get().endOffset();
            } else {
                next = scan.skipDamage(next + 1, endOffset);
            }
        }
    }
}
