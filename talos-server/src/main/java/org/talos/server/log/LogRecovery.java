// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.config.LogConfig;
import org.talos.server.log.DedupeWindow.BlockIdentity;
import org.talos.server.log.EntryFormat.Entry;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * Recovers a log that an earlier owner has left: fences what it was writing, drops a torn end, refuses damage in the
 * middle, and seals what is whole. Only where the store says that a power failure may have left holes is the log cut at
 * the first of them.
 *
 * <p>Confined: the opening thread.
 */
final class LogRecovery {
    private static final Logger LOG = LoggerFactory.getLogger(LogRecovery.class);

    // Opening is not to take longer than reading this, or the last segment.
    private static final long MAX_REMEMBER_BYTES = 64L << 20;

    private final LogId log;
    private final SegmentStore store;
    private final SegmentCatalog catalog;
    private final int indexIntervalBytes;
    private final DedupeWindow window;
    private final long dedupeMillis;
    private final long openingNanos;
    private final List<LogSegment> segments = new ArrayList<>();

    LogRecovery(
            LogId log,
            SegmentStore store,
            SegmentCatalog catalog,
            LogConfig config,
            DedupeWindow window,
            long openingNanos) {
        this.log = log;
        this.store = store;
        this.catalog = catalog;
        indexIntervalBytes = config.indexIntervalBytes();
        this.window = window;
        dedupeMillis = config.dedupeAge().toMillis();
        this.openingNanos = openingNanos;
    }

    /** The log's segments, all sealed, without a gap from its start on. */
    List<LogSegment> run() throws StorageException {
        long expected = catalog.startOffset();
        List<SegmentCatalog.Known> all = catalog.segments();
        for (SegmentCatalog.Known known : all) {
            if (known.name().baseOffset() > expected && neverHeldAnEntry(known)) {
                continue;
            }
            if (known.name().baseOffset() != expected) {
                throw corrupt(known.name(), "begins at " + known.name().baseOffset() + " (expected: " + expected + ")");
            }
            if (known.sealed()) {
                checkLength(known);
                segments.add(LogSegment.of(known));
                expected = known.endOffset();
            } else {
                expected = recover(known.name());
            }
        }
        rememberLatest();
        sweep(all);
        return segments;
    }

    /**
     * A segment is begun while puts in the one before are still in flight, and takes none before those are durable. If
     * they were lost it has no entry, and is dropped; the one before may have been sealed by an opening that failed
     * later. One with entries shows that the one before is damaged.
     */
    private boolean neverHeldAnEntry(SegmentCatalog.Known known) throws StorageException {
        SegmentName name = known.name();
        if (known.sealed() || new SegmentScan(store, name, 0, store.recover(name)).entryIsHereOrFollows()) {
            return false;
        }
        LOG.info("segment begun behind puts that were never durable dropped segment={}", name);
        catalog.remove(name, catalog.startOffset());
        store.delete(name);
        return true;
    }

    private void checkLength(SegmentCatalog.Known known) throws StorageException {
        long length = store.recover(known.name());
        if (length < known.bytes()) {
            throw corrupt(known.name(), "has " + length + " bytes (expected: " + known.bytes() + ")");
        }
    }

    private long recover(SegmentName name) throws StorageException {
        long length = store.recover(name);
        SegmentScan scan = new SegmentScan(store, name, 0, length);
        SparseIndex index = new SparseIndex(indexIntervalBytes);
        LogSegment segment = new LogSegment(name, 0, index);
        long expected = name.baseOffset();
        long position = 0;
        for (Optional<Entry> entry = scan.next(); entry.isPresent(); entry = scan.next()) {
            StoredBlock stored = entry.get().stored();
            if (stored.baseOffset() != expected) {
                throw corrupt(
                        name,
                        "has offset " + stored.baseOffset() + " at position " + position + " (expected: " + expected
                                + ")");
            }
            index.add(stored.baseOffset(), stored.appendTimestamp(), position);
            expected = stored.endOffset();
            position = scan.position();
            EntryFormat.Header header = entry.get().header();
            if (header.blockIndex() == header.blocksOfPut() - 1) {
                segment.grown(expected, position, stored.appendTimestamp()); // the put is there to its end
            }
        }
        if (position < length && scan.entryFollows()) {
            if (position < store.wholeTo(name)) {
                throw corrupt(name, "is damaged at position " + position + ", and whole entries follow");
            }
            LOG.error(
                    "acknowledged messages lost: the power failed before they were on the disk, and the log goes on"
                            + " without them segment={} offset={} position={} bytes={}",
                    name,
                    segment.endOffset(),
                    position,
                    length - position);
        }
        return finish(segment, index, length);
    }

    private long finish(LogSegment segment, SparseIndex index, long length) throws StorageException {
        SegmentName name = segment.name();
        if (segment.bytes() < length) {
            LOG.info(
                    "torn tail dropped segment={} position={} bytes={}",
                    name,
                    segment.bytes(),
                    length - segment.bytes());
            store.truncate(name, segment.bytes());
        }
        if (segment.bytes() == 0) {
            catalog.remove(name, catalog.startOffset());
            store.delete(name);
            return name.baseOffset();
        }
        store.saveIndex(name, index.encode());
        catalog.seal(segment.known());
        segments.add(segment);
        return segment.endOffset();
    }

    /**
     * Remembers the latest puts, which may be repeated: those of the last segments, as many as are small, but at least
     * one. Age goes by the log's own last put, which counts as if it had just come: this server's clock, or that of the
     * one before, may be wrong.
     */
    private void rememberLatest() throws StorageException {
        int first = segments.size();
        if (first == 0) {
            return;
        }
        long newest = segments.get(first - 1).lastAppendTimestamp();
        long bytes = 0;
        while (first > 0 && segments.get(first - 1).lastAppendTimestamp() >= newest - dedupeMillis) {
            bytes += segments.get(first - 1).bytes();
            if (bytes > MAX_REMEMBER_BYTES && first < segments.size()) {
                break;
            }
            first--;
        }
        for (LogSegment segment : segments.subList(first, segments.size())) {
            remember(segment, newest);
        }
    }

    private void remember(LogSegment last, long newest) throws StorageException {
        long from = last.index(store, indexIntervalBytes).positionBefore(newest - dedupeMillis);
        SegmentScan scan = new SegmentScan(store, last.name(), from, last.bytes());
        List<BlockIdentity> blocks = new ArrayList<>();
        long firstOffset = 0;
        for (Optional<Entry> entry = scan.next(); entry.isPresent(); entry = scan.next()) {
            EntryFormat.Header header = entry.get().header();
            StoredBlock stored = entry.get().stored();
            if (header.blockIndex() == 0) {
                blocks = new ArrayList<>();
                firstOffset = stored.baseOffset();
            }
            blocks.add(BlockIdentity.of(stored.block(), header.blockChecksum()));
            if (blocks.size() == header.blocksOfPut()) {
                PutTicket ticket = new PutTicket();
                ticket.firstOffset().complete(firstOffset);
                long nanos = openingNanos - TimeUnit.MILLISECONDS.toNanos(newest - stored.appendTimestamp());
                window.remember(
                        DedupeWindow.Identity.of(entry.get().sequenceId(), blocks),
                        new DedupeWindow.Remembered(entry.get().sequenceId(), firstOffset, nanos, ticket));
            }
        }
    }

    /** Deletes files that retention left behind; files without a row at or past the start stay, and are logged. */
    private void sweep(List<SegmentCatalog.Known> known) throws StorageException {
        List<SegmentName> names = known.stream().map(SegmentCatalog.Known::name).toList();
        for (SegmentName name : store.list(log)) {
            if (!names.contains(name)) {
                if (name.baseOffset() < catalog.startOffset()) {
                    store.delete(name);
                } else {
                    LOG.warn("segment without a row left alone segment={}", name);
                }
            }
        }
    }

    private static StorageException corrupt(SegmentName name, String what) {
        return new StorageException(Reason.CORRUPT, Effect.NONE, "segment " + name + " " + what, null);
    }
}
