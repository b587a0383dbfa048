// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.config.LogConfig;
import org.talos.server.log.EntryFormat.Entry;
import org.talos.server.log.dedupe.PutIdentity;
import org.talos.server.log.dedupe.PutIdentity.BlockIdentity;
import org.talos.server.log.gap.SegmentOffsets;
import org.talos.server.log.index.SegmentIndexes;
import org.talos.server.log.index.SparseIndex;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentDeletions;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * Recovers a log that an earlier owner has left: fences the segments that it was writing, drops a torn end, refuses
 * damage in the middle, and seals intact segments. The log is cut at the first hole only where the store reports that a
 * power failure may have left holes.
 *
 * <p>All segments are read before anything is changed, so a refused log stays as it is. An opening that fails midway is
 * repeated, and finds the same end.
 *
 * <p>Confined: the opening thread.
 */
final class LogRecovery {
    private static final Logger LOG = LoggerFactory.getLogger(LogRecovery.class);

    // An opening reads at most this, or the last segment.
    private static final long MAX_REMEMBER_BYTES = 64L << 20;

    private final LogId log;
    private final SegmentStore store;
    private final SegmentDeletions deletions;
    private final SegmentCatalog catalog;
    private final SegmentOptions options;
    private final SegmentIndexes indexes;
    private final int indexIntervalBytes;
    private final DedupeWindow window;
    private final long dedupeMillis;
    private final long openingNanos;
    private final int leastRemembered;
    private final DedupeMemory.Holder memory;
    private long heldBefore; // of it, by puts of earlier segments
    private long mayBeGiven; // one past the last offset that a lost message may have had
    private final List<LogSegment> segments = new ArrayList<>();
    private final List<SegmentName> unused = new ArrayList<>(); // their owners never acknowledged messages in them
    private final List<Unsealed> unsealed = new ArrayList<>();
    private final List<Loss> losses = new ArrayList<>();
    private final Map<LogSegment, LatestPuts> read = new HashMap<>(); // of segments that are read in any case

    LogRecovery(
            PartitionLog.Place place,
            SegmentOptions options,
            LogConfig config,
            DedupeWindow window,
            PartitionLog.Parts parts,
            SegmentDeletions deletions) {
        log = place.id();
        store = place.store();
        this.deletions = deletions;
        catalog = place.catalog();
        this.options = options;
        indexes = parts.memory().indexes();
        indexIntervalBytes = config.indexIntervalBytes();
        this.window = window;
        dedupeMillis = config.dedupeAge().toMillis();
        leastRemembered = config.dedupeWindow();
        memory = parts.memory().dedupe().holder();
        openingNanos = parts.ticker().nanos();
    }

    /** Returns the log's segments, all sealed, from its start on; each begins where the previous one ends. */
    List<LogSegment> run() throws StorageException {
        boolean recovered = false;
        try {
            List<LogSegment> found = recover();
            recovered = true;
            return found;
        } finally {
            memory.hold(0);
            if (!recovered) {
                window.close();
            }
        }
    }

    /**
     * The findings in a segment that is not sealed in its row.
     *
     * @param segment its messages, up to the end of the last whole put
     * @param length of its files
     */
    private record Unsealed(LogSegment segment, SparseIndex index, boolean indexSaved, long length) {}

    /**
     * A place where a power failure has taken messages, with whole entries behind it.
     *
     * @param offset of the first message that is lost
     */
    private record Loss(SegmentName segment, long offset, long position) {}

    private List<LogSegment> recover() throws StorageException {
        List<SegmentCatalog.Known> all = catalog.segments();
        Map<SegmentName, Long> held = store.lengths(log);
        long end = readAll(all, held);
        passOver(end); // first: once the segments are sealed, nothing else shows that messages may be lost
        for (SegmentName name : unused) {
            drop(name);
        }
        for (Unsealed each : unsealed) {
            finish(each);
        }
        rememberLatest();
        sweep(all, held.keySet());
        return segments;
    }

    /** Fences and reads the segments, and changes nothing. Returns the end of the present part of the log. */
    private long readAll(List<SegmentCatalog.Known> all, Map<SegmentName, Long> held) throws StorageException {
        long expected = catalog.startOffset();
        for (int i = 0; i < all.size(); i++) {
            SegmentCatalog.Known known = all.get(i);
            SegmentName name = known.name();
            if (wasNeverMade(known, held) || (name.baseOffset() > expected && neverHeldAnEntry(known))) {
                unused.add(name);
                continue;
            }
            if (name.baseOffset() != expected) {
                throw corrupt(name, "begins at " + name.baseOffset() + " (expected: " + expected + ")");
            }
            expected = known.sealed()
                    ? believe(known, held.getOrDefault(name, 0L))
                    : readUnsealed(name, gapBehind(all, i));
        }
        return expected;
    }

    /**
     * Returns the begin of the next gap: an opening that failed later has decided that the segment before it ends
     * there. Messages that have turned up behind it were not acknowledged, or are noted as lost.
     */
    private static long gapBehind(List<SegmentCatalog.Known> all, int index) {
        return all.stream()
                .skip(index + 1L)
                .filter(SegmentCatalog.Known::isGap)
                .mapToLong(gap -> gap.name().baseOffset())
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }

    /**
     * If a segment's owner never noted that its file was created, nothing in it was acknowledged, or ever will be. A
     * file that was created must exist: otherwise this server looks in the wrong place, or the file was lost.
     */
    private static boolean wasNeverMade(SegmentCatalog.Known known, Map<SegmentName, Long> held)
            throws StorageException {
        return switch (known.state()) {
            case PLANNED -> true;
            case OPEN -> !held.containsKey(known.name());
            case MADE, SEALED -> {
                if (!held.containsKey(known.name()) && !known.isGap()) {
                    throw corrupt(known.name(), "is missing: are these the logs that belong to the rows?");
                }
                yield false;
            }
        };
    }

    /**
     * A segment is begun while puts in the previous one are still in flight, and accepts none before those are durable.
     * If those were lost, it has no entry, and is dropped; an opening that failed later may have sealed the previous
     * one. If it has entries, the previous one is damaged.
     */
    private boolean neverHeldAnEntry(SegmentCatalog.Known known) throws StorageException {
        SegmentName name = known.name();
        return !known.sealed() && !new SegmentScan(store, name, 0, store.recover(name)).entryIsHereOrFollows();
    }

    /**
     * Continues the log behind every offset that it may have assigned. Readers may have committed these offsets, so
     * another message at the same offset would never reach them. Messages before the deleted offset are not read, so
     * new messages do not get such an offset.
     *
     * @param end where the log ends, as far as it is there
     */
    private void passOver(long end) throws StorageException {
        long next = Math.max(mayBeGiven, catalog.readableFrom());
        if (next <= end) {
            return;
        }
        long timestamp =
                segments.isEmpty() ? 0 : segments.get(segments.size() - 1).lastAppendTimestamp();
        SegmentCatalog.Known gap =
                SegmentCatalog.Known.gap(new SegmentName(log, end, catalog.epoch()), next, timestamp);
        try {
            catalog.addGap(gap);
        } catch (StorageException e) {
            if (e.effect() != Effect.NONE) {
                reportLosses(gap); // the row may have the gap, and then no later opening finds them
            }
            throw e;
        }
        segments.add(LogSegment.of(gap));
        reportLosses(gap);
    }

    private void reportLosses(SegmentCatalog.Known gap) {
        long end = gap.name().baseOffset();
        if (mayBeGiven > end) {
            LOG.warn(
                    "messages may be lost: they were acknowledged before they were on a disk, and the power may have"
                            + " failed. The log continues behind the offsets that they may have had log={} end={} next={}",
                    log,
                    end,
                    gap.endOffset());
        } else {
            LOG.warn(
                    "messages are lost: the log ends before the offset up to which messages were deleted. It continues"
                            + " at that offset log={} end={} next={}",
                    log,
                    end,
                    gap.endOffset());
        }
        for (Loss loss : losses) {
            LOG.error(
                    "acknowledged messages lost: the power failed before they were on the disk, and the log continues"
                            + " without them segment={} offset={} position={}",
                    loss.segment,
                    loss.offset,
                    loss.position);
        }
    }

    private void drop(SegmentName name) throws StorageException {
        LOG.info("segment without a whole message dropped segment={}", name);
        catalog.remove(name, catalog.startOffset());
        deletions.delete(name);
    }

    /** Trusts the row of a sealed segment, which needs no fence, if its files have as many bytes. */
    private long believe(SegmentCatalog.Known known, long length) throws StorageException {
        if (length < known.bytes()) {
            throw corrupt(known.name(), "has " + length + " bytes (expected: " + known.bytes() + ")");
        }
        store.sealedByAnother(known.name()); // in case this server had the log before, and lost it unnoticed
        segments.add(LogSegment.of(known));
        return known.endOffset();
    }

    /** @param most offset at which the segment ends at the latest */
    private long readUnsealed(SegmentName name, long most) throws StorageException {
        long length = store.recover(name);
        Optional<SparseIndex> saved = LogSegment.savedIndex(store, name, indexIntervalBytes);
        if (saved.isPresent()) {
            Optional<LogSegment> whole = wholeByIndex(name, saved.get(), length);
            if (whole.isPresent() && whole.get().endOffset() <= most) {
                return found(new Unsealed(whole.get(), saved.get(), true, length));
            }
        }
        return readFromBeginning(name, length, most);
    }

    private long found(Unsealed found) {
        unsealed.add(found);
        if (found.segment.isUsed()) {
            segments.add(found.segment);
        }
        return found.segment.endOffset();
    }

    /**
     * The index is saved once all of a segment is in its final place, and then the row is written. So only the part
     * behind the last point of the index must be read to find the end of the segment. Empty if that part is not as
     * expected.
     */
    private Optional<LogSegment> wholeByIndex(SegmentName name, SparseIndex index, long length)
            throws StorageException {
        LogSegment segment = new LogSegment(name, null);
        SegmentScan scan = new SegmentScan(store, name, index.lastPosition(), length);
        boolean endsPut = false;
        for (Optional<Entry> entry = scan.next(); entry.isPresent(); entry = scan.next()) {
            StoredBlock stored = entry.get().stored();
            EntryFormat.Header header = entry.get().header();
            endsPut = header.blockIndex() == header.blocksOfPut() - 1;
            segment.grown(stored.endOffset(), scan.position(), stored.appendTimestamp());
        }
        return endsPut && segment.bytes() == length ? Optional.of(segment) : Optional.empty();
    }

    private long readFromBeginning(SegmentName name, long length, long most) throws StorageException {
        if (store.mayLackItsEnd(name, options)) {
            mayBeGiven = name.baseOffset() + SegmentOffsets.MOST;
        }
        SegmentScan scan = new SegmentScan(store, name, 0, length);
        SparseIndex index = new SparseIndex(indexIntervalBytes);
        LogSegment segment = new LogSegment(name, index);
        LatestPuts puts = new LatestPuts();
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
            if (stored.endOffset() > most) {
                break;
            }
            index.add(stored.baseOffset(), stored.appendTimestamp(), position);
            expected = stored.endOffset();
            position = scan.position();
            if (puts.add(entry.get())) {
                segment.grown(expected, position, stored.appendTimestamp()); // the put is there to its end
            }
        }
        if (segment.bytes() < length && segment.endOffset() < most) {
            requireTorn(segment, position, position < length && scan.entryFollows());
        }
        if (segment.isUsed()) {
            read.put(segment, puts);
            heldBefore += puts.surplus();
        }
        return found(new Unsealed(segment, index, false, length));
    }

    /**
     * Checks that the bytes behind the last whole put were never acknowledged, or may have been lost in a power
     * failure.
     *
     * @param position of the first byte that belongs to no whole entry
     */
    private void requireTorn(LogSegment segment, long position, boolean entriesFollow) throws StorageException {
        SegmentName name = segment.name();
        if (entriesFollow && position < store.wholeTo(name)) {
            throw corrupt(name, "is damaged at position " + position + ", and whole entries follow");
        }
        if (entriesFollow) {
            losses.add(new Loss(name, segment.endOffset(), position));
        } else if (!store.mayBeTorn(name, position)) {
            throw corrupt(name, "is damaged at position " + position + ", and all of it was acknowledged");
        }
    }

    private void finish(Unsealed found) throws StorageException {
        LogSegment segment = found.segment;
        SegmentName name = segment.name();
        if (segment.bytes() < found.length) {
            LOG.info(
                    "torn tail dropped segment={} position={} bytes={}",
                    name,
                    segment.bytes(),
                    found.length - segment.bytes());
            store.truncate(name, segment.bytes());
        }
        if (!segment.isUsed()) {
            drop(name);
            return;
        }
        if (!found.indexSaved) {
            store.saveIndex(name, found.index.encode());
        }
        segment.indexSaved(found.index, indexes);
        catalog.seal(segment.known());
    }

    /**
     * Remembers the latest puts, which may be repeated: those of the last segment, and before it as many bytes as are
     * read quickly. Ages count from the log's own last put, which counts as new: this server's clock, or the previous
     * one's, may be wrong.
     */
    private void rememberLatest() throws StorageException {
        int last = segments.size() - 1;
        if (last < 0) {
            return;
        }
        long newest = segments.get(last).lastAppendTimestamp();
        int first = last;
        long room = MAX_REMEMBER_BYTES - segments.get(last).bytes(); // negative: the first put is not complete
        while (first > 0 && room > 0 && segments.get(first - 1).lastAppendTimestamp() >= newest - dedupeMillis) {
            first--;
            room -= segments.get(first).bytes();
        }
        for (int i = first; i <= last; i++) {
            remember(segments.get(i), i == first && first < last ? Math.max(0, -room) : 0, newest);
        }
    }

    private void remember(LogSegment segment, long position, long newest) throws StorageException {
        if (segment.isGap()) {
            return;
        }
        LatestPuts puts = read.get(segment); // just recovered: do not read its bytes again
        if (puts == null) {
            puts = new LatestPuts();
            SparseIndex index = segment.index(store, indexes, indexIntervalBytes);
            long from = Math.max(index.positionBefore(newest - dedupeMillis), index.positionUpTo(position));
            SegmentScan scan = new SegmentScan(store, segment.name(), from, segment.bytes());
            for (Optional<Entry> entry = scan.nextWhole(); entry.isPresent(); entry = scan.nextWhole()) {
                puts.add(entry.get());
            }
        }
        puts.remember(newest);
    }

    /** The latest puts of a segment that is read in order, as many as fit into memory. Confined: as the recovery. */
    private final class LatestPuts {
        private final Deque<Found> found = new ArrayDeque<>();
        private List<BlockIdentity> blocks = new ArrayList<>();
        private long firstOffset;

        /** A put whose blocks were all read; its age is known only by its timestamp. */
        private record Found(PutIdentity identity, long firstOffset, long timestamp) {}

        /**
         * Adds the next entry; returns true if it is its put's last. A put that began before the first entry is
         * skipped.
         */
        boolean add(Entry entry) {
            EntryFormat.Header header = entry.header();
            StoredBlock stored = entry.stored();
            if (header.blockIndex() == 0) {
                blocks = new ArrayList<>();
                firstOffset = stored.baseOffset();
            }
            blocks.add(DedupeWindow.identity(stored.block(), header.blockChecksum()));
            if (blocks.size() == header.blocksOfPut()) {
                found.addLast(new Found(
                        DedupeWindow.identity(entry.sequenceId(), blocks), firstOffset, stored.appendTimestamp()));
                forgetSurplus();
            }
            return header.blockIndex() == header.blocksOfPut() - 1;
        }

        private int surplus() {
            return Math.max(0, found.size() - leastRemembered);
        }

        private void forgetSurplus() {
            memory.hold(heldBefore + surplus());
            while ((surplus() > 0 && memory.isOver()) || (leastRemembered == 0 && !found.isEmpty())) {
                found.removeFirst();
                memory.hold(heldBefore + surplus());
            }
        }

        /** Adds recent puts to the window, which counts them itself. */
        void remember(long newest) {
            heldBefore = 0;
            memory.hold(0);
            for (Found each : found) {
                if (each.timestamp >= newest - dedupeMillis) {
                    long age = Math.max(0, newest - each.timestamp); // negative if a clock was ahead before
                    long nanos = openingNanos - TimeUnit.MILLISECONDS.toNanos(age);
                    window.remember(each.identity, each.firstOffset, nanos);
                }
            }
        }
    }

    /** Deletes files that retention left behind. Files without a row at or past the start stay, and are logged. */
    private void sweep(List<SegmentCatalog.Known> known, Set<SegmentName> held) {
        Set<SegmentName> names = known.stream().map(SegmentCatalog.Known::name).collect(Collectors.toSet());
        for (SegmentName name : held) {
            if (!names.contains(name)) {
                if (name.baseOffset() < catalog.startOffset()) {
                    deletions.delete(name);
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
