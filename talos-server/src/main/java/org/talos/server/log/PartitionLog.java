// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.TalosException;
import org.talos.server.config.LogConfig;
import org.talos.server.log.gap.Gap;
import org.talos.server.log.gap.Gaps;
import org.talos.server.log.index.SegmentIndexes;
import org.talos.server.log.time.OpeningTimes;
import org.talos.server.log.time.Retention;
import org.talos.server.metrics.LogMetrics;
import org.talos.server.runtime.thread.Threads;
import org.talos.server.runtime.time.SteadyClock;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentDeletions;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * The messages of one partition under one owner epoch: appends them, reads them, and wakes readers that wait at the
 * end.
 *
 * <p>Invariant: offsets are in append order, and never used for two messages. No reader sees an offset at or past
 * {@link #durableEnd}. Offsets are dense, except for the gap behind messages that a power failure may have taken.
 *
 * <p>Thread-safe. Appends come from the worker that holds the partition's key.
 */
public final class PartitionLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionLog.class);

    private final LogId id;
    private final SegmentStore store;
    private final SegmentCatalog catalog;
    private final Parts parts;
    private final DedupeWindow window;
    private final LogAppender appender;
    private final LogReader reader;
    private final Runnable onFailure;
    private final Waiters waiters;
    private final NavigableMap<Long, LogSegment> segments = new ConcurrentSkipListMap<>();
    private final TailBlocks tail = new TailBlocks();
    private final TailCache.Holder held; // the same blocks, as the cache counts them
    private final Expiry expiry;
    private volatile long startOffset;
    private volatile End end; // all that readers go by
    private volatile boolean ended;
    private final Gaps gaps;

    /**
     * Where a log ends. Immutable.
     *
     * @param offset one past the last acknowledged message
     * @param bytes of the blocks acknowledged up to there since the log was opened
     */
    public record End(long offset, long bytes) {}

    /**
     * The memory that the logs of a server share. Immutable.
     *
     * @param tailCache bound of the newest blocks in memory
     * @param dedupe bound of the puts that are remembered to recognize repeated ones
     * @param indexes bound of the indexes of sealed segments in memory
     */
    public record Memory(TailCache tailCache, DedupeMemory dedupe, SegmentIndexes indexes) {}

    /**
     * The threads that the logs of a server share. Immutable.
     *
     * @param background for sealing; may run it at any time, or refuse it: segments keep growing until it accepts
     * @param openings for beginning segments, which puts wait for
     * @param readers run reads that waited, and their answers: a few threads, which never delay an acknowledgement
     */
    public record Pools(Executor background, Executor openings, Executor readers) {}

    /**
     * The parts that the logs of a server share. Immutable.
     *
     * @param clock time of day, for timestamps
     * @param ticker monotonic clock, for ages of segments and of remembered puts
     * @param metrics of all logs together
     * @param threads run the log's waits and its background work
     */
    public record Parts(
            Memory memory, Pools pools, SteadyClock clock, Ticker ticker, LogMetrics metrics, Threads threads) {}

    /** The place of a log: its segments in a store, and the rows that name them. Immutable. */
    record Place(LogId id, SegmentStore store, SegmentCatalog catalog) {}

    private PartitionLog(
            LogId id,
            SegmentStore store,
            SegmentCatalog catalog,
            Supplier<SegmentOptions> options,
            LogConfig config,
            Parts parts,
            Runnable onFailure)
            throws StorageException {
        this.id = id;
        this.store = store;
        this.catalog = catalog;
        this.parts = parts;
        this.onFailure = onFailure;
        Memory memory = parts.memory();
        held = memory.tailCache().holder(tail::removeTo);
        waiters = new Waiters(parts.pools().readers(), this::end);
        reader = new LogReader(id, store, segments, memory.indexes(), config.indexIntervalBytes(), parts.ticker());
        window = new DedupeWindow(config.dedupeWindow(), config.dedupeAge(), memory.dedupe());
        Place place = new Place(id, store, catalog);
        appender = new LogAppender(place, options, config, parts, window, new Publication());
        SegmentDeletions deletions = new SegmentDeletions(store);
        List<LogSegment> found = new LogRecovery(place, options.get(), config, window, parts, deletions).run();
        for (LogSegment segment : found) {
            segments.put(segment.baseOffset(), segment);
        }
        OpeningTimes times = openingTimes(config);
        gaps = Gaps.of(id, found, catalog.startOffset());
        startOffset = Math.min(catalog.readableFrom(), gaps.end()); // a power failure may have lost those before it
        end = new End(gaps.end(), 0);
        expiry = new Expiry(id, catalog, segments, times, deletions, () -> ended);
        appender.start(gaps.next(), times.latest());
    }

    private OpeningTimes openingTimes(LogConfig config) {
        List<Long> timestamps = segments.values().stream()
                .filter(LogSegment::isUsed)
                .map(LogSegment::lastAppendTimestamp)
                .toList();
        OpeningTimes times = new OpeningTimes(timestamps, parts.clock().millis(), config.clockRight());
        if (times.goesBack()) {
            LOG.info("timestamps follow the clock again and are lower than before log={}", id);
        }
        return times;
    }

    /**
     * Opens the log for the owner of the catalog's epoch: fences the segments that earlier owners were writing, and
     * recovers them.
     *
     * @param options asked for each new segment; must not block
     * @param onFailure runs once when the log accepts no more appends; must not block
     * @throws StorageException CORRUPT: acknowledged messages are damaged, and the log must not be served
     */
    public static PartitionLog open(
            LogId id,
            SegmentStore store,
            SegmentCatalog catalog,
            Supplier<SegmentOptions> options,
            LogConfig config,
            Parts parts,
            Runnable onFailure)
            throws StorageException {
        long start = parts.ticker().nanos();
        PartitionLog log = new PartitionLog(id, store, catalog, options, config, parts, onFailure);
        parts.metrics().recovered(parts.ticker().nanos() - start);
        return log;
    }

    /**
     * Publishes durable entries to readers, in order. Called under the appender's lock, except for {@link #wake} and
     * {@link #find}.
     *
     * <p>Thread-safe.
     */
    interface Published {
        void segmentAdded(LogSegment segment);

        void durable(List<StoredBlock> blocks, long durableEnd);

        /** Wakes readers that wait: there are new messages. */
        void wake();

        /** The first append has failed: none succeeds until the log is opened again. */
        void failed();

        /**
         * Returns an earlier block's bytes, for a comparison; empty if they are gone, or damaged. May block: not under
         * the lock.
         *
         * @throws TalosException storage fails, but may be read later
         */
        Optional<StoredBlock> find(long baseOffset);

        /** As {@link #find}, but only in memory. Does not block. */
        Optional<StoredBlock> findInMemory(long baseOffset);
    }

    /** Makes durable entries visible to readers. Thread-safe. */
    private final class Publication implements Published {
        @Override
        public void segmentAdded(LogSegment segment) {
            segments.put(segment.baseOffset(), segment);
        }

        @Override
        public void durable(List<StoredBlock> blocks, long durableEnd) {
            long bytes = end.bytes();
            for (StoredBlock block : blocks) {
                tail.add(block);
                bytes += block.block().bytes().remaining();
            }
            end = new End(durableEnd, bytes); // before the answer: a producer that then reads must find its put
            for (StoredBlock block : blocks) {
                held.held(block);
            }
        }

        @Override
        public void wake() {
            waiters.endMoved();
        }

        @Override
        public void failed() {
            onFailure.run();
        }

        @Override
        public Optional<StoredBlock> findInMemory(long baseOffset) {
            long end = durableEnd();
            if (baseOffset >= end) {
                return Optional.empty();
            }
            return tail.from(baseOffset, end, new BlockLimits(1, 1).count()).stream()
                    .filter(block -> block.baseOffset() == baseOffset)
                    .findFirst();
        }

        /** Finds it even before the log's start: as long as one message of a put is left, its segment has all of it. */
        @Override
        public Optional<StoredBlock> find(long baseOffset) {
            Optional<StoredBlock> inMemory = findInMemory(baseOffset);
            long end = durableEnd();
            if (inMemory.isPresent() || segments.floorKey(baseOffset) == null || baseOffset >= end) {
                return inMemory;
            }
            try {
                return readStored(baseOffset, end, new BlockLimits(1, 1), BlockLimits.Room.UNBOUNDED).stream()
                        .filter(block -> block.baseOffset() == baseOffset)
                        .findFirst();
            } catch (TalosException e) {
                LOG.warn("comparison with an earlier put failed log={} offset={}", id, baseOffset, e);
                if (LogFailures.mayPass(e)) {
                    throw e;
                }
                return Optional.empty();
            }
        }
    }

    /** Returns the newest blocks, in memory. */
    TailBlocks tail() {
        return tail;
    }

    /**
     * Appends puts, in order, with one flush for all of them. A put that repeats an earlier one of the dedupe window is
     * not appended, and completes as the earlier one does.
     *
     * @return a ticket for each, in order; they complete once the puts are durable
     */
    public List<PutTicket> append(List<Put> puts) {
        return appender.append(puts);
    }

    /** Oldest offset that can be read. */
    public long startOffset() {
        return startOffset;
    }

    /** One past the last acknowledged message. */
    public long durableEnd() {
        return end.offset();
    }

    /** Returns all gaps between its messages, in the order of their offsets. */
    public List<Gap> gaps() {
        return gaps.all();
    }

    /** Returns the newest gap: offsets without messages, though they may have been assigned before. */
    public Gap newestGap() {
        return gaps.newest();
    }

    /** Returns where it ends, for readers. */
    public End end() {
        return end;
    }

    /**
     * Reads from memory, if it has everything from the offset on. Never blocks. A read in a {@link Gap} continues
     * behind it.
     *
     * @return empty if storage must be asked
     * @throws TalosException MESSAGE_OFFSET_OUT_OF_RANGE
     */
    public Optional<Slice> readFromMemory(long asked, BlockLimits limits) {
        long durableEnd = durableEnd();
        long offset = gaps.pass(asked, durableEnd);
        checkRange(offset, durableEnd);
        if (offset == durableEnd) {
            return Optional.of(new Slice(List.of(), startOffset, durableEnd));
        }
        List<StoredBlock> blocks = tail.from(offset, durableEnd, limits.count());
        if (blocks.isEmpty()) {
            return Optional.empty();
        }
        parts.metrics().readFromMemory();
        return Optional.of(new Slice(blocks, startOffset, durableEnd));
    }

    /**
     * Reads from memory or storage. May block.
     *
     * @throws TalosException MESSAGE_OFFSET_OUT_OF_RANGE; HDFS_OPERATION_FAILED: damaged, or storage fails
     */
    public Slice read(long offset, BlockLimits limits) {
        return read(offset, limits, BlockLimits.Room.UNBOUNDED);
    }

    /**
     * Like {@link #read(long, BlockLimits)}, and takes room for blocks from storage before it reads them; blocks in
     * memory need none.
     *
     * @throws TalosException the same, and EXCESSIVE_PENDING_MESSAGE: there is no room for one block
     */
    public Slice read(long offset, BlockLimits limits, BlockLimits.Room room) {
        Optional<Slice> fromMemory = readFromMemory(offset, limits);
        if (fromMemory.isPresent()) {
            return fromMemory.get();
        }
        long durableEnd = durableEnd();
        List<StoredBlock> blocks = readStored(gaps.pass(offset, durableEnd), durableEnd, limits, room);
        return new Slice(blocks, startOffset, durableEnd);
    }

    private List<StoredBlock> readStored(long offset, long durableEnd, BlockLimits limits, BlockLimits.Room room) {
        try {
            List<StoredBlock> blocks = reader.read(offset, durableEnd, limits, room);
            parts.metrics().readFromStorage();
            return blocks;
        } catch (StorageException e) {
            checkRange(offset, durableEnd); // retention may have deleted it in the meantime
            throw unreadable("offset=" + offset, e);
        }
    }

    /**
     * A read that fails because its log is closed or deleted is not a fault; another server may have deleted the log
     * already.
     */
    private TalosException unreadable(String asked, StorageException e) {
        if (ended) {
            return LogFailures.notServing();
        }
        reader.logFailure(asked, e);
        return LogFailures.ofRead(e);
    }

    private void checkRange(long offset, long durableEnd) {
        if (offset < startOffset || offset > durableEnd) {
            throw LogFailures.outOfRange("offset " + offset, offset, startOffset, durableEnd);
        }
    }

    /**
     * Returns the first offset that was appended at or after a time (ms since 1970), or {@link #durableEnd}. May block.
     */
    public long offsetAtTime(long timestamp) {
        while (true) {
            long from = startOffset;
            try {
                return Math.max(from, reader.offsetAtTime(timestamp, durableEnd()));
            } catch (StorageException e) {
                if (startOffset == from) { // else retention has deleted a searched segment
                    throw unreadable("timestamp=" + timestamp, e);
                }
            }
        }
    }

    /**
     * Lets the readers' threads run a wait's task once it is met or the log is closed, also if that has already
     * happened.
     */
    public void await(EndWait wait) {
        waiters.add(wait);
    }

    /** Returns the bytes of messages acknowledged since it was opened. */
    public long acknowledgedBytes() {
        return end.bytes();
    }

    /** Returns whether a read has met damaged messages. */
    public boolean hasDamage() {
        return reader.hasMetDamage();
    }

    /** Returns the bytes of the readable part of the log. */
    public long bytes() {
        return segments.values().stream().mapToLong(LogSegment::bytes).sum();
    }

    /**
     * Deletes whole sealed segments that are too old or too many, oldest first, and forgets old puts. May block.
     *
     * @return observations about the clock
     */
    public Retention.Signs retain(Retention limits) {
        appender.rollIfDone(startOffset);
        window.sweep(parts.ticker().nanos());
        return expiry.apply(limits, this::removed);
    }

    private void removed(SegmentCatalog.Known oldest) {
        beginAt(oldest.endOffset());
        forget(oldest.name());
        parts.memory().indexes().forget(oldest.name());
    }

    private void beginAt(long offset) {
        startOffset = Math.max(startOffset, offset);
        tail.removeTo(offset);
    }

    /**
     * Deletes the oldest messages permanently, or reports the effect of doing so. After this returns, no read finds
     * them. A segment's file is deleted with its last message, at the latest by the next {@link #retain}. May block.
     *
     * @throws TalosException MESSAGE_OFFSET_OUT_OF_RANGE: the offset is behind the end; HDFS_OPERATION_FAILED,
     *     PARTITION_NOT_SERVING: nothing is deleted, or, by the error's effect, that is unknown
     */
    public Deletion.Result delete(Deletion deletion) {
        long durableEnd = durableEnd();
        long from = startOffset;
        long to = deletion.before() == Deletion.ALL ? durableEnd : deletion.before();
        if (to > durableEnd) {
            throw LogFailures.outOfRange("offset " + to, to, from, durableEnd);
        }
        if (to <= from) {
            return new Deletion.Result(from, from, 0, 0);
        }
        long bytes = Math.max(0, reader.bytesBefore(to) - reader.bytesBefore(from));
        if (!deletion.preview()) {
            try {
                expiry.deleteBefore(to, () -> beginAt(to), this::removed);
            } catch (StorageException e) {
                if (e.reason() == Reason.FENCED && !ended) {
                    appender.fail(e); // its row has changed: it must be opened again before that can change
                }
                throw LogFailures.ofDeletion(e);
            }
            appender.rollIfDone(to);
        }
        return new Deletion.Result(from, to, gaps.messages(from, to), bytes);
    }

    /** A segment that was sealed without a message has the same first offset as the next one, which stays. */
    private void forget(SegmentName expired) {
        segments.computeIfPresent(
                expired.baseOffset(), (offset, found) -> found.name().equals(expired) ? null : found);
    }

    /**
     * Ends appending, seals the active segment and the others that are due, and wakes waiting readers; after a failure
     * it seals nothing. May be called twice. Blocks.
     */
    @Override
    public void close() {
        try {
            endAppends();
        } finally {
            endReads();
        }
    }

    /**
     * Ends only appending, of a log that has failed: it is read until its successor is open, and then ended by
     * {@link #endReads}. May be called twice.
     */
    public void endAppends() {
        try {
            appender.close(false);
        } finally {
            window.close();
        }
    }

    /**
     * Ends reading, of a log that accepts no more appends, and wakes waiting readers. Segments that another server has
     * fenced are dropped. May be called twice.
     */
    public void endReads() {
        ended = true;
        waiters.close();
        forgetTail();
        store.endReads(id, catalog.epoch());
    }

    /**
     * Ends a log that is about to be deleted, in place of {@link #close}: seals nothing, and deletes the segments that
     * it writes, so that no writer is left when the rest is deleted. When this returns, nothing of this log uses the
     * store. May be called twice. Blocks.
     */
    public void discard() {
        ended = true;
        appender.close(true);
        window.close();
        waiters.close();
        forgetTail();
        expiry.discardUnsealed(); // waits for a deletion in progress
    }

    private void forgetTail() {
        tail.clear();
        held.close();
    }
}
