// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.log.dedupe.RememberedPuts.Remembered;
import org.talos.server.log.index.SegmentIndexes;
import org.talos.server.log.index.SparseIndex;
import org.talos.server.runtime.thread.OwnTasks;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * The segment that a log appends to.
 *
 * <p>Confined: {@link #reserve}, {@link #append} and {@link #position} are called under the appender's lock;
 * {@link #create}, {@link #sync}, {@link #seal} and {@link #close} without it, by the thread that opens or ends the
 * segment, the last three after the last append.
 */
final class ActiveSegment {
    private static final Logger LOG = LoggerFactory.getLogger(ActiveSegment.class);

    private final LogSegment segment;
    private final SegmentWriter writer;
    private final SparseIndex index;
    private final long createdNanos;

    private ActiveSegment(LogSegment segment, SegmentWriter writer, SparseIndex index, long createdNanos) {
        this.segment = segment;
        this.writer = writer;
        this.index = index;
        this.createdNanos = createdNanos;
    }

    /**
     * A put with its offsets and positions.
     *
     * @param remembered empty if it is not, as one without a sequence id
     */
    record Placed(Optional<Remembered> remembered, PutTicket ticket, List<StoredBlock> blocks, List<Long> positions) {
        long firstOffset() {
            return blocks.get(0).baseOffset();
        }
    }

    /** Puts that were handed to the store together. Confined: under the appender's lock. */
    static final class InFlight {
        final ActiveSegment segment;
        final List<Placed> puts = new ArrayList<>();
        final List<ByteBuffer> bytes = new ArrayList<>();
        long position;
        long submittedNanos;
        boolean durable;

        InFlight(ActiveSegment segment) {
            this.segment = segment;
            position = segment.position();
        }

        /** Adds its blocks, which are durable now, to the segment and its index; returns the blocks. */
        List<StoredBlock> index() {
            List<StoredBlock> blocks = new ArrayList<>(puts.size());
            for (Placed placed : puts) {
                for (int i = 0; i < placed.blocks.size(); i++) {
                    StoredBlock block = placed.blocks.get(i);
                    segment.index.add(block.baseOffset(), block.appendTimestamp(), placed.positions.get(i));
                    blocks.add(block);
                }
            }
            StoredBlock last = blocks.get(blocks.size() - 1);
            segment.segment.grown(last.endOffset(), position, last.appendTimestamp());
            return blocks;
        }
    }

    /**
     * Creates a segment: first its row, then its file, then the row's note that the file exists. The last step fails if
     * another owner has come since the first. That owner looked for the file when it did not exist yet, and would never
     * look again.
     */
    static ActiveSegment create(
            SegmentName name,
            SparseIndex index,
            SegmentStore store,
            SegmentOptions options,
            SegmentCatalog catalog,
            Ticker ticker)
            throws StorageException {
        catalog.add(name);
        SegmentWriter writer = store.create(name, options);
        try {
            catalog.made(name);
        } catch (StorageException e) {
            writer.close();
            if (e.reason() == Reason.FENCED) {
                deleteVain(name, store);
            }
            throw e;
        }
        return new ActiveSegment(new LogSegment(name, index), writer, index, ticker.nanos());
    }

    /** Deletes an unused segment: it has no puts, and no row names it. */
    private static void deleteVain(SegmentName name, SegmentStore store) {
        try {
            store.delete(name);
        } catch (StorageException e) {
            LOG.info("unused segment not deleted segment={} cause={}", name, e.toString());
        }
    }

    /** Returns the time of its creation by the monotonic clock. */
    long createdNanos() {
        return createdNanos;
    }

    /** Returns the position of the next entry. */
    long position() {
        return writer.length();
    }

    /** As {@link SegmentWriter#reserve}. */
    CompletableFuture<Void> reserve(long bytes) {
        return writer.reserve(bytes);
    }

    /** As {@link SegmentWriter#giveBack}; thread-safe. */
    void giveBack() {
        writer.giveBack();
    }

    CompletableFuture<Void> append(List<ByteBuffer> bytes) {
        return writer.queue(bytes);
    }

    /** As {@link SegmentWriter#writeQueued}; thread-safe. */
    void writeQueued() {
        writer.writeQueued();
    }

    /** As {@link SegmentWriter#outlivesPowerFailure}. */
    boolean outlivesPowerFailure() {
        return writer.outlivesPowerFailure();
    }

    /** As {@link SegmentWriter#sync}. */
    void sync() throws StorageException {
        writer.sync();
    }

    LogSegment segment() {
        return segment;
    }

    /**
     * Seals the segment: completes the file, stores the index beside it, then seals its row. Blocks.
     *
     * @param whole its expected contents
     * @throws StorageException UNAVAILABLE: it is not sealed
     */
    void seal(SegmentCatalog.Known whole, SegmentStore store, SegmentCatalog catalog, SegmentIndexes indexes)
            throws StorageException {
        long length = writer.seal();
        if (length != whole.bytes()) {
            throw new StorageException(
                    Reason.UNAVAILABLE,
                    Effect.UNKNOWN,
                    "segment " + whole.name() + " has " + length + " bytes (expected: " + whole.bytes() + ")",
                    null);
        }
        store.saveIndex(segment.name(), index.encode());
        segment.indexSaved(index, indexes);
        catalog.seal(whole);
    }

    void close() {
        writer.close();
    }

    /**
     * The segment that a log appends to, and the succession of its segments.
     *
     * <pre>
     * NONE    → OPENING   a put waits: a thread makes the next segment
     * OPENING → BEGUN     the next one is made
     * BEGUN   → SYNCING   nothing is in flight, and a power failure can reach the one before: a thread syncs that
     * SYNCING → BEGUN     the one before is synced
     * BEGUN   → ACTIVE    nothing is in flight, and no power failure can reach the one before
     * ACTIVE  → NONE      it is full, or the log is closed
     * others  → NONE      the log has failed, or is closed: the next one is not needed any more
     * </pre>
     *
     * <p>Confined: to the appender, under its lock.
     */
    static final class Succession {
        private State state = State.NONE;
        private @Nullable ActiveSegment active;
        private @Nullable ActiveSegment begun; // the next one, until it may take bytes
        private @Nullable ActiveSegment unsynced; // the previous segment, if a power failure can reach it

        enum State {
            NONE,
            OPENING,
            BEGUN,
            SYNCING,
            ACTIVE
        }

        State state() {
            return state;
        }

        /** Returns the segment that takes bytes, if there is one. */
        @Nullable
        ActiveSegment active() {
            return active;
        }

        /** Returns the previous segment, if it must be synced first. */
        @Nullable
        ActiveSegment unsynced() {
            return unsynced;
        }

        /** Notes that a thread creates the next segment. */
        void opening() {
            require(State.NONE);
            state = State.OPENING;
        }

        /** Accepts the next segment, which was created; returns whether it comes too late. */
        void began(ActiveSegment made, boolean needed) {
            if (state == State.OPENING) {
                state = needed ? State.BEGUN : State.NONE;
                begun = needed ? made : null;
            }
        }

        /** Notes that a thread syncs the previous segment. */
        void syncing() {
            require(State.BEGUN);
            state = State.SYNCING;
        }

        /** Notes that the one before is synced. */
        void synced() {
            if (state == State.SYNCING) {
                state = State.BEGUN;
            }
            unsynced = null;
        }

        /** Makes the next segment the active one, and returns it. */
        ActiveSegment activate() {
            require(State.BEGUN);
            ActiveSegment next = Objects.requireNonNull(begun);
            begun = null;
            active = next;
            state = State.ACTIVE;
            return next;
        }

        /** Ends the active one, which is full. */
        void roll() {
            require(State.ACTIVE);
            ActiveSegment full = Objects.requireNonNull(active);
            active = null;
            state = State.NONE;
            unsynced = full.outlivesPowerFailure() ? null : full;
        }

        /** Undoes {@link #roll}, as the segment cannot be sealed now: it keeps growing. */
        void unroll(ActiveSegment full) {
            require(State.NONE);
            unsynced = null;
            active = full;
            state = State.ACTIVE;
        }

        /** Returns the next segment, if it was created and is not active yet: it is no longer needed. */
        @Nullable
        ActiveSegment dropNext() {
            ActiveSegment unused = begun;
            begun = null;
            if (state != State.ACTIVE) {
                state = State.NONE;
            }
            return unused;
        }

        /** Returns the active one, if there is one: no segment takes bytes any more. */
        @Nullable
        ActiveSegment end() {
            ActiveSegment last = active;
            active = null;
            state = State.NONE;
            return last;
        }

        private void require(State expected) {
            if (state != expected) {
                throw new IllegalStateException("succession of segments: " + state + " (expected: " + expected + ")");
            }
        }
    }

    /**
     * Seals the full segments of one log, on threads that it shares with other logs. A segment that cannot be sealed,
     * for whatever reason, is left to the next opening.
     *
     * <p>Thread-safe.
     */
    static final class Seals {
        private final OwnTasks tasks;
        private final SegmentStore store;
        private final SegmentCatalog catalog;
        private final SegmentIndexes indexes;
        private final Consumer<StorageException> onFailure;

        Seals(
                PartitionLog.Parts parts,
                SegmentStore store,
                SegmentCatalog catalog,
                Consumer<StorageException> onFailure) {
            tasks = new OwnTasks(parts.pools().background(), parts.threads());
            this.store = store;
            this.catalog = catalog;
            indexes = parts.memory().indexes();
            this.onFailure = onFailure;
        }

        /** Schedules a segment for sealing; returns false if too many already wait. */
        boolean submit(ActiveSegment full, SegmentCatalog.Known whole) {
            try {
                tasks.execute(() -> seal(full, whole));
                return true;
            } catch (RejectedExecutionException e) {
                LOG.debug("segment roll postponed segment={} cause={}", whole.name(), e.toString());
                return false;
            }
        }

        private void seal(ActiveSegment full, SegmentCatalog.Known whole) {
            StorageException failure;
            try {
                full.seal(whole, store, catalog, indexes);
                return;
            } catch (StorageException e) {
                failure = e;
            } catch (RuntimeException | Error e) {
                failure = new StorageException(Reason.UNAVAILABLE, Effect.UNKNOWN, "seal failed: " + e, e);
            }
            onFailure.accept(notSealed(whole.name(), failure));
        }

        private StorageException notSealed(SegmentName name, StorageException failure) {
            if (failure.reason() == Reason.FENCED) { // the new owner has sealed it: nothing is wrong
                LOG.info("segment not sealed, it has another owner segment={} cause={}", name, failure.toString());
                return failure;
            }
            if (isAbandoned(name)) {
                LOG.info("segment not sealed: another owner sealed it, or its log was deleted segment={}", name);
                return new StorageException(
                        Reason.FENCED, failure.effect(), "segment " + name + " is of the past", failure);
            }
            LOG.error("segment not sealed; it is recovered at the next opening segment={}", name, failure);
            return failure;
        }

        /**
         * A server that was cut off for a while learns last of all that a log was deleted. Until it stops, the log's
         * segments must not hold back journals and their memory.
         */
        private boolean isAbandoned(SegmentName name) {
            try {
                if (!catalog.isOver(name)) {
                    return false;
                }
                store.sealedByAnother(name);
                return true;
            } catch (StorageException | RuntimeException | Error e) {
                LOG.info("unsealed segment may be left from an earlier epoch segment={} cause={}", name, e.toString());
                return false;
            }
        }

        /** Seals the last segment, if there is one, and all that wait for sealing. Blocks. */
        void finish(@Nullable ActiveSegment last, SegmentCatalog.@Nullable Known whole) {
            if (last != null && whole != null) {
                seal(last, whole);
            }
            tasks.finish();
        }

        /**
         * Stops sealing, and waits for the seal in progress. Memory that was reserved for puts is released: the task
         * that would do so may have been dropped.
         */
        void drop(@Nullable ActiveSegment last) {
            if (last != null) {
                last.giveBack();
            }
            tasks.drop(true);
        }

        /** Stops sealing, and does not wait for a seal that hangs. */
        void giveUp(@Nullable ActiveSegment last) {
            tasks.drop(false);
            if (last != null) {
                last.close();
            }
        }
    }
}
