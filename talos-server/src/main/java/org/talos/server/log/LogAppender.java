// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.config.LogConfig;
import org.talos.server.log.ActiveSegment.InFlight;
import org.talos.server.log.ActiveSegment.Placed;
import org.talos.server.log.Placement.Candidate;
import org.talos.server.log.Placement.ParkedPuts;
import org.talos.server.log.Placement.PutBatch;
import org.talos.server.log.gap.SegmentOffsets;
import org.talos.server.log.index.SparseIndex;
import org.talos.server.runtime.thread.OwnTasks;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * The writing half of a log: assigns offsets, encodes entries, hands them to the store, and publishes durable entries
 * in order. After a failed append it accepts no more.
 *
 * <p>Invariant: a segment gets its first byte only after every byte of the previous one is durable, and safe from a
 * power failure. So after a failure, a log has no gap between segments. Puts keep the order of their arrival: a put
 * that finds no segment or no memory is parked, and so are all puts behind it.
 *
 * <p>{@link ActiveSegment.Succession} has a diagram of the transition from one segment to the next.
 *
 * <p>Thread-safe: one lock for all state, under which no thread waits. It is held while a put completes that repeats a
 * completed one, is rolled back, or is completed by the store at once. All other puts complete without it.
 */
final class LogAppender {
    private static final Logger LOG = LoggerFactory.getLogger(LogAppender.class);

    private final LogId id;
    private final SegmentStore store;
    private final SegmentCatalog catalog;
    private final Supplier<SegmentOptions> options;
    private final LogConfig config;
    private final PartitionLog.Parts parts;
    private final PartitionLog.Published published;
    private final ActiveSegment.Seals seals;
    private final OwnTasks openings;

    @GuardedBy("this")
    private final Deque<InFlight> inFlight = new ArrayDeque<>();

    private final Placement placement; // confined to the lock

    private final ParkedPuts parked = new ParkedPuts(); // confined to the lock

    private final ActiveSegment.Succession segments = new ActiveSegment.Succession(); // confined to the lock

    @GuardedBy("this")
    private @Nullable TalosException failure;

    @GuardedBy("this")
    private boolean closed;

    LogAppender(
            PartitionLog.Place place,
            Supplier<SegmentOptions> options,
            LogConfig config,
            PartitionLog.Parts parts,
            DedupeWindow window,
            PartitionLog.Published published) {
        id = place.id();
        store = place.store();
        catalog = place.catalog();
        this.options = options;
        this.config = config;
        this.parts = parts;
        this.published = published;
        seals = new ActiveSegment.Seals(parts, store, catalog, e -> failed(e, null));
        openings = new OwnTasks(parts.pools().openings(), parts.threads());
        placement = new Placement(parts, window, inFlight, published::findInMemory);
    }

    synchronized void start(long firstOffset, long timestamp) {
        placement.start(firstOffset, timestamp);
    }

    /** As {@link PartitionLog#append}. */
    List<PutTicket> append(List<Put> puts) {
        List<PutBatch> batches = PutBatch.of(puts);
        orFail(() -> take(batches).run());
        return PutBatch.tickets(batches);
    }

    /** The state after an unexpected exception of a step is unknown: the log ends, and all its waits end. */
    private void orFail(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            failed(new StorageException(Reason.UNAVAILABLE, Effect.UNKNOWN, "segment failed: " + e, e), null);
        }
    }

    private synchronized Runnable take(List<PutBatch> batches) {
        parked.addAll(batches);
        return step();
    }

    /** Takes the possible next steps for parked puts. */
    private void resume() {
        take(List.of()).run();
    }

    /** Takes the steps that need the lock, and returns the steps to take without it. */
    @GuardedBy("this")
    private Runnable step() {
        if (failure != null || closed) {
            List<PutBatch> refused = parked.takeAll();
            return () -> PutBatch.refuse(refused, LogFailures.notServing());
        }
        if (parked.areReserving()) {
            return LogAppender::nothing;
        }
        ActiveSegment full = segments.active();
        if (full != null && !parked.isEmpty() && isFull(full)) {
            roll(full);
        }
        Runnable next = segments.active() == null ? nextSegment() : LogAppender::nothing;
        ActiveSegment active = segments.active();
        if (active == null) {
            return next;
        }
        return parked.isEmpty() ? LogAppender::nothing : appendParked(active);
    }

    private static void nothing() {}

    private static void close(@Nullable ActiveSegment segment) {
        if (segment != null) {
            segment.close(); // if it was never used, the next owner finds it empty
        }
    }

    /** Appends parked puts as soon as there is memory for them. */
    @GuardedBy("this")
    private Runnable appendParked(ActiveSegment segment) {
        if (!SegmentOffsets.haveRoom(
                segment.segment().baseOffset(), placement.nextOffset())) { // nor is there one for the next
            List<PutBatch> refused = parked.takeAll();
            return () -> PutBatch.refuse(refused, LogFailures.noOffsets());
        }
        List<PutBatch> group = parked.reserveNext();
        CompletableFuture<Void> reserved = segment.reserve(PutBatch.bytes(group));
        if (reserved.isDone() && !reserved.isCompletedExceptionally()) {
            Runnable placed = placeOrCompare(group, segment);
            return parked.isEmpty()
                    ? placed
                    : () -> {
                        placed.run();
                        resume();
                    };
        }
        return () -> {
            var unused = reserved.whenComplete((done, error) -> orFail(() -> reserved(group, segment, error)));
        };
    }

    private void reserved(List<PutBatch> group, ActiveSegment segment, @Nullable Throwable error) {
        if (error != null) {
            refused(group, LogFailures.cause(error));
        } else {
            placeReserved(group, segment).run();
        }
        resume();
    }

    /** Places puts for which there is memory now, unless they were refused in the meantime. */
    private synchronized Runnable placeReserved(List<PutBatch> group, ActiveSegment segment) {
        return parked.areReserving(group) ? placeOrCompare(group, segment) : segment::giveBack;
    }

    /**
     * Places puts. Before that, puts that may repeat one that only storage has are compared with it, on another thread.
     * Puts behind them wait.
     */
    @GuardedBy("this")
    private Runnable placeOrCompare(List<PutBatch> group, ActiveSegment segment) {
        List<Candidate> unknown = placement.toBeCompared(group);
        if (!unknown.isEmpty()) {
            return () -> elsewhere(() -> {
                unknown.forEach(each -> each.compare(published::find));
                reserved(group, segment, null);
            });
        }
        place(group, segment);
        return segment::writeQueued;
    }

    /**
     * There was no memory in time, also not for the puts behind them; or there never will be, since the segment failed.
     */
    private void refused(List<PutBatch> group, StorageException reason) {
        if (reason.reason() != Reason.BUSY) {
            failed(reason, null);
            return;
        }
        List<PutBatch> all;
        synchronized (this) {
            all = parked.areReserving(group) ? parked.takeAll() : List.of();
        }
        PutBatch.refuse(all, LogFailures.ofAppend(reason));
    }

    /** Makes the next segment the active one, or returns the next step towards it. */
    @GuardedBy("this")
    private Runnable nextSegment() {
        return switch (segments.state()) {
            case NONE -> parked.isEmpty() ? LogAppender::nothing : makeNext();
            case BEGUN -> inFlight.isEmpty() ? continueWithNext() : LogAppender::nothing;
            case OPENING, SYNCING, ACTIVE -> LogAppender::nothing;
        };
    }

    @GuardedBy("this")
    private Runnable makeNext() {
        segments.opening();
        SegmentName name = new SegmentName(id, placement.nextOffset(), catalog.epoch());
        return () -> elsewhere(() -> begin(name));
    }

    @GuardedBy("this")
    private Runnable continueWithNext() {
        ActiveSegment before = segments.unsynced();
        if (before != null) {
            segments.syncing();
            return () -> elsewhere(() -> sync(before));
        }
        published.segmentAdded(segments.activate().segment());
        return LogAppender::nothing;
    }

    /** Runs the slow steps with rows and files on another thread; puts are parked until then. */
    private void elsewhere(Runnable task) {
        try {
            openings.execute(() -> orFail(task));
        } catch (RejectedExecutionException e) {
            failed(new StorageException(Reason.UNAVAILABLE, Effect.NONE, "the server stops", e), null);
        }
    }

    private void begin(SegmentName name) {
        SparseIndex index = new SparseIndex(config.indexIntervalBytes());
        ActiveSegment made;
        try {
            made = ActiveSegment.create(name, index, store, options.get(), catalog, parts.ticker());
        } catch (StorageException e) {
            failed(e, null);
            return;
        }
        if (began(made)) {
            resume();
        } else {
            made.close();
        }
    }

    /** Returns false if the log has ended in the meantime. */
    private synchronized boolean began(ActiveSegment made) {
        boolean needed = failure == null && !closed;
        segments.began(made, needed);
        return needed;
    }

    private void sync(ActiveSegment ended) {
        try {
            ended.sync();
        } catch (StorageException e) {
            failed(e, null);
            return;
        }
        synchronized (this) {
            segments.synced();
        }
        resume();
    }

    @GuardedBy("this")
    private void place(List<PutBatch> batches, ActiveSegment segment) {
        long start = parts.ticker().nanos();
        InFlight placed = new InFlight(segment);
        for (PutBatch batch : batches) {
            for (Candidate each : batch.puts()) {
                placement.place(each, placed);
            }
        }
        submit(placed, start);
    }

    @GuardedBy("this")
    private boolean isFull(ActiveSegment segment) {
        long age = parts.ticker().nanos() - segment.createdNanos();
        return segment.position() >= config.segmentBytes()
                || SegmentOffsets.areUsedUp(segment.segment().baseOffset(), placement.nextOffset())
                || (segment.position() > 0 && age >= config.segmentAge().toNanos());
    }

    /**
     * Ends the active segment if it is old enough, or if all of its messages are deleted. It is sealed on another
     * thread, after the appends in flight.
     *
     * @param start of the log: all before it is deleted
     */
    synchronized void rollIfDone(long start) {
        ActiveSegment active = segments.active();
        if (active == null || failure != null || parked.areReserving()) {
            return;
        }
        boolean isDeleted = active.position() > 0 && placement.nextOffset() <= start;
        if (isDeleted || isFull(active)) {
            roll(active);
        }
    }

    /** Seals the active segment. While too many segments wait for sealing, it keeps growing. */
    @GuardedBy("this")
    private void roll(ActiveSegment full) {
        segments.roll(); // first: a seal that fails at once finds the log without it
        if (!seals.submit(full, whole(full))) {
            segments.unroll(full);
        }
    }

    /** Returns the segment as it will be once everything in flight is durable. */
    @GuardedBy("this")
    private SegmentCatalog.Known whole(ActiveSegment segment) {
        return SegmentCatalog.Known.sealed(
                segment.segment().name(), placement.nextOffset(), segment.position(), placement.lastAppendTimestamp());
    }

    @GuardedBy("this")
    private void submit(InFlight batch, long startNanos) {
        if (batch.puts.isEmpty()) {
            parked.reserved(); // all of them end with the put that they repeat
            batch.segment.giveBack();
            return;
        }
        inFlight.addLast(batch);
        parked.reserved(); // from here on they end with the appends in flight
        batch.submittedNanos = parts.ticker().nanos();
        parts.metrics().appended(batch.submittedNanos - startNanos);
        CompletableFuture<Void> appended = batch.segment.append(batch.bytes);
        Throwable refused = appended.isCompletedExceptionally()
                ? appended.handle((done, error) -> error).join()
                : null;
        if (refused instanceof StorageException e && e.reason() == Reason.BUSY) {
            rollBack(batch, e);
            return;
        }
        var unused = appended.whenComplete((done, error) -> {
            if (error == null) {
                orFail(() -> durable(batch));
            } else {
                failed(LogFailures.cause(error), batch);
            }
        });
    }

    /** Rolls back the last batch, of which the store took nothing: its offsets are assigned again. */
    @GuardedBy("this")
    private void rollBack(InFlight batch, StorageException busy) {
        inFlight.removeLast();
        placement.rollBack(batch);
        batch.puts.forEach(placed -> placed.ticket().firstOffset().completeExceptionally(LogFailures.ofAppend(busy)));
    }

    /** Publishes the batch and the durable batches behind it, as soon as all before it are durable. */
    private void durable(InFlight batch) {
        List<Placed> ended = new ArrayList<>(batch.puts.size());
        Runnable next;
        try {
            next = publish(batch, ended);
        } finally {
            ended.forEach(placed -> placed.ticket().firstOffset().complete(placed.firstOffset()));
        }
        published.wake(); // consumers behind producers
        next.run();
    }

    private synchronized Runnable publish(InFlight batch, List<Placed> ended) {
        batch.durable = true;
        parts.metrics().flushed(parts.ticker().nanos() - batch.submittedNanos);
        while (!inFlight.isEmpty() && inFlight.getFirst().durable && failure == null) {
            InFlight first = inFlight.getFirst();
            List<StoredBlock> blocks = first.index();
            published.durable(blocks, blocks.get(blocks.size() - 1).endOffset());
            inFlight.removeFirst(); // last: an exception before this fails it with all others
            ended.addAll(first.puts);
        }
        return segments.active() == null && inFlight.isEmpty() ? step() : LogAppender::nothing;
    }

    /** Fails the log because of something other than an append: it accepts no more appends. */
    void fail(StorageException e) {
        failed(e, null);
    }

    /**
     * Fails everything in flight, and all later appends with the first failure. The effect that the store states holds
     * only for its own batch: the others may be stored nevertheless.
     */
    private void failed(StorageException e, @Nullable InFlight failedBatch) {
        List<Placed> ended = new ArrayList<>();
        List<PutBatch> refused;
        ActiveSegment unused;
        TalosException own = LogFailures.ofAppend(e);
        TalosException ofOthers = LogFailures.ofAppend(
                new StorageException(e.reason(), Effect.UNKNOWN, String.valueOf(e.getMessage()), e));
        synchronized (this) {
            if (failure == null) {
                failure = own;
                LOG.warn("log closed for appends log={} reason={}", id, e.getMessage());
                published.failed();
            }
            inFlight.forEach(batch -> ended.addAll(batch.puts));
            inFlight.clear();
            refused = parked.takeAll();
            unused = segments.dropNext();
        }
        PutBatch.refuse(refused, LogFailures.notServing());
        close(unused);
        for (Placed placed : ended) {
            boolean isOwn = failedBatch != null && failedBatch.puts.contains(placed);
            placed.ticket().firstOffset().completeExceptionally(isOwn ? own : ofOthers);
        }
    }

    /**
     * Ends appending. Seals the active segment and the segments that wait for it, after the appends in flight; of a log
     * that is about to be deleted, it seals nothing. After a failure it waits for nothing, and leaves everything to
     * recovery: a call that hangs must not hold up the opening that recovers.
     *
     * @param deleted the log is about to be deleted: waits until no work on its segments is left
     */
    void close(boolean deleted) {
        ActiveSegment last;
        ActiveSegment unused;
        SegmentCatalog.Known whole;
        List<PutBatch> refused;
        boolean failed;
        synchronized (this) {
            closed = true;
            refused = parked.takeAll();
            unused = segments.dropNext();
            last = segments.end();
            failed = failure != null;
            whole = last == null ? null : whole(last);
        }
        PutBatch.refuse(refused, LogFailures.notServing());
        close(unused);
        openings.drop(deleted || !failed); // a segment that is created too late does not belong to the next owner
        if (deleted) {
            seals.drop(last);
        } else if (failed) {
            seals.giveUp(last);
        } else {
            seals.finish(last, whole);
        }
    }
}
