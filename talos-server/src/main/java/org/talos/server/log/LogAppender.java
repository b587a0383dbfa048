// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.common.error.TalosException;
import org.talos.server.config.LogConfig;
import org.talos.server.log.DedupeWindow.Identity;
import org.talos.server.log.DedupeWindow.Remembered;
import org.talos.server.runtime.OwnTasks;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.thrift.ErrorCode;

/**
 * The writing half of a log: gives offsets, lays entries out, hands them to the store, and publishes what has become
 * durable, in order. After a failed append it takes no further one.
 *
 * <p>Thread-safe: one lock for all state. It is held while the store takes bytes, which may wait for memory; while an
 * earlier put is read to be compared; and while a put completes that repeats a completed one, is rolled back, or is
 * completed by the store at once. All other puts complete without it.
 */
final class LogAppender {
    private static final Logger LOG = LoggerFactory.getLogger(LogAppender.class);

    private final LogId id;
    private final SegmentStore store;
    private final SegmentCatalog catalog;
    private final Supplier<SegmentOptions> options;
    private final LogConfig config;
    private final PartitionLog.Parts parts;
    private final Published published;
    private final ActiveSegment.Seals seals;
    private final OwnTasks openings;

    @GuardedBy("this")
    private final DedupeWindow window;

    @GuardedBy("this")
    private final Deque<InFlight> inFlight = new ArrayDeque<>();

    @GuardedBy("this")
    private final List<Batch> parked = new ArrayList<>(); // until the next segment is there

    @GuardedBy("this")
    private boolean opening; // the next segment is being made

    @GuardedBy("this")
    private @Nullable ActiveSegment active;

    @GuardedBy("this")
    private long nextOffset; // ahead of the log's durable end while something is in flight

    @GuardedBy("this")
    private long lastAppendTimestamp;

    @GuardedBy("this")
    private @Nullable TalosException failure;

    @GuardedBy("this")
    private boolean closed;

    LogAppender(
            LogId id,
            SegmentStore store,
            SegmentCatalog catalog,
            Supplier<SegmentOptions> options,
            LogConfig config,
            PartitionLog.Parts parts,
            DedupeWindow window,
            Published published) {
        this.id = id;
        this.store = store;
        this.catalog = catalog;
        this.options = options;
        this.config = config;
        this.parts = parts;
        this.window = window;
        this.published = published;
        seals = new ActiveSegment.Seals(parts.background(), store, catalog, e -> failed(e, null));
        openings = new OwnTasks(parts.openings());
    }

    /** Makes known to readers what they may read, in order. Called under the appender's lock, but for {@link #wake}. */
    interface Published {
        void segmentAdded(LogSegment segment);

        void durable(List<StoredBlock> blocks, long durableEnd);

        /** Wakes readers that wait: there is more to read. */
        void wake();

        /** The first append has failed: none succeeds until the log is opened again. */
        void failed();

        /** Finds an earlier block's bytes, to compare; empty if that is not possible. May block. */
        Optional<StoredBlock> find(long baseOffset);
    }

    /** Puts that were appended by one call, and a ticket for each. */
    private record Batch(List<Put> puts, List<PutTicket> tickets) {}

    /** A put that has its offsets and positions. */
    private record Placed(Identity identity, PutTicket ticket, List<StoredBlock> blocks, List<Long> positions) {
        long firstOffset() {
            return blocks.get(0).baseOffset();
        }
    }

    /** Puts that were handed to the store together. Confined: under the appender's lock. */
    private static final class InFlight {
        private final ActiveSegment segment;
        private final List<Placed> puts = new ArrayList<>();
        private final List<ByteBuffer> bytes = new ArrayList<>();
        private long position;
        private long submittedNanos;
        private boolean durable;

        InFlight(ActiveSegment segment) {
            this.segment = segment;
            position = segment.position();
        }
    }

    synchronized void start(long firstOffset, long timestamp) {
        nextOffset = firstOffset;
        lastAppendTimestamp = timestamp;
    }

    /** As {@link PartitionLog#append}. */
    List<PutTicket> append(List<Put> puts) {
        List<PutTicket> tickets = puts.stream().map(put -> new PutTicket()).toList();
        SegmentName next = null;
        synchronized (this) {
            if (failure == null && !closed) {
                ActiveSegment ready = readySegment();
                Batch batch = new Batch(puts, tickets);
                if (ready != null) {
                    place(List.of(batch), ready);
                    return tickets;
                }
                parked.add(batch);
                if (opening) {
                    return tickets;
                }
                opening = true;
                next = new SegmentName(id, nextOffset, catalog.epoch()); // nothing is placed until it is there
            }
        }
        if (next == null) {
            refuse(List.of(new Batch(puts, tickets)));
        } else {
            beginElsewhere(next);
        }
        return tickets;
    }

    private static void refuse(List<Batch> batches) {
        batches.forEach(batch ->
                batch.tickets.forEach(ticket -> ticket.firstOffset().completeExceptionally(LogFailures.notServing())));
    }

    /** The segment for the next put, if it is there. */
    @GuardedBy("this")
    private @Nullable ActiveSegment readySegment() {
        ActiveSegment current = active;
        return current != null && isFull(current) && roll() ? null : current;
    }

    /** Makes the next segment on another thread, since rows and files take their time; puts are parked meanwhile. */
    private void beginElsewhere(SegmentName name) {
        try {
            openings.execute(() -> begin(name));
        } catch (RejectedExecutionException e) {
            failed(new StorageException(Reason.UNAVAILABLE, Effect.NONE, "the server stops", e), null);
        }
    }

    private void begin(SegmentName name) {
        SparseIndex index = new SparseIndex(config.indexIntervalBytes());
        LogSegment segment = new LogSegment(name, parts.clock().millis(), index);
        ActiveSegment begun;
        try {
            begun = ActiveSegment.create(segment, index, store, options.get(), catalog);
        } catch (StorageException e) {
            failed(e, null);
            return;
        } catch (RuntimeException e) {
            failed(new StorageException(Reason.UNAVAILABLE, Effect.UNKNOWN, "segment can't be begun", e), null);
            return;
        }
        if (!began(begun)) {
            begun.close();
        }
    }

    /** Appends the parked puts to the new segment; false if the log has ended meanwhile. */
    private synchronized boolean began(ActiveSegment begun) {
        opening = false;
        if (failure != null || closed) {
            return false;
        }
        active = begun;
        published.segmentAdded(begun.segment());
        List<Batch> waited = List.copyOf(parked);
        parked.clear();
        place(waited, begun);
        return true;
    }

    @GuardedBy("this")
    private void place(List<Batch> batches, ActiveSegment segment) {
        long start = parts.ticker().nanos();
        InFlight placed = new InFlight(segment);
        for (Batch batch : batches) {
            for (int i = 0; i < batch.puts.size(); i++) {
                place(batch.puts.get(i), batch.tickets.get(i), placed);
            }
        }
        submit(placed, start);
    }

    @GuardedBy("this")
    private boolean isFull(ActiveSegment segment) {
        long age = parts.clock().millis() - segment.segment().createdMillis();
        return segment.position() >= config.segmentBytes()
                || (segment.position() > 0 && age >= config.segmentAge().toMillis());
    }

    /** Ends the active segment if it is old enough; its sealing waits for what is in flight, elsewhere. */
    synchronized void rollIfFull() {
        if (active != null && failure == null && isFull(active)) {
            roll();
        }
    }

    /** Has the active segment sealed; false if it has to go on growing, since too many wait to be sealed. */
    @GuardedBy("this")
    private boolean roll() {
        ActiveSegment full = active;
        if (full == null) {
            return false;
        }
        active = null; // first: a seal that fails at once finds the log without it
        boolean rolled = seals.submit(full, whole(full));
        if (!rolled) {
            active = full;
        }
        return rolled;
    }

    /** The segment as it will be once everything in flight is durable. */
    @GuardedBy("this")
    private SegmentCatalog.Known whole(ActiveSegment segment) {
        return new SegmentCatalog.Known(
                segment.segment().name(), true, nextOffset, segment.position(), lastAppendTimestamp);
    }

    @GuardedBy("this")
    private void place(Put put, PutTicket ticket, InFlight batch) {
        int[] checksums = new int[put.blocks().size()];
        for (int i = 0; i < checksums.length; i++) {
            checksums[i] = EntryFormat.checksum(put.blocks().get(i).bytes());
        }
        long nanos = parts.ticker().nanos();
        Identity identity = DedupeWindow.identity(put, checksums);
        Optional<Remembered> earlier = window.find(identity, put.origin(), nanos);
        if (earlier.isPresent()) {
            Optional<PutTicket> answer = repeated(put, earlier.get(), batch);
            if (answer.isPresent()) {
                ticket.follow(answer.get());
                return;
            }
        }
        lastAppendTimestamp = Math.max(lastAppendTimestamp, parts.clock().millis());
        Placed placed = new Placed(identity, ticket, new ArrayList<>(), new ArrayList<>());
        for (int i = 0; i < checksums.length; i++) {
            Block block = put.blocks().get(i);
            ByteBuffer head = EntryFormat.head(put, i, checksums[i], nextOffset, lastAppendTimestamp);
            placed.positions.add(batch.position);
            placed.blocks.add(new StoredBlock(nextOffset, lastAppendTimestamp, block));
            batch.bytes.add(head);
            batch.bytes.add(block.bytes());
            batch.position += head.remaining() + (long) block.bytes().remaining();
            nextOffset += block.messages();
        }
        batch.puts.add(placed);
        window.remember(identity, new Remembered(put.sequenceId(), placed.firstOffset(), nanos, placed.ticket));
    }

    /** The answer to a put that repeats an earlier one; empty if it does not, and is to be appended. */
    @GuardedBy("this")
    private Optional<PutTicket> repeated(Put put, Remembered earlier, InFlight batch) {
        if (PutKey.isMarked(put.sequenceId())) {
            return Optional.of(earlier.sequenceId().equals(put.sequenceId()) ? again(earlier) : otherPutOfTheKey());
        }
        return hasSameBytes(put, earlier.firstOffset(), batch) ? Optional.of(again(earlier)) : Optional.empty();
    }

    private PutTicket again(Remembered earlier) {
        parts.metrics().repeated();
        earlier.ticket().repeated();
        return earlier.ticket();
    }

    private static PutTicket otherPutOfTheKey() {
        PutTicket refused = new PutTicket();
        refused.firstOffset()
                .completeExceptionally(TalosException.refused(
                        ErrorCode.LOCK_VALUE_NOT_EXPECTED, "the key of this put was used for another put"));
        return refused;
    }

    @GuardedBy("this")
    private boolean hasSameBytes(Put put, long firstOffset, InFlight batch) {
        long offset = firstOffset;
        for (Block block : put.blocks()) {
            Optional<StoredBlock> stored = find(offset, batch);
            if (stored.isEmpty() || !stored.get().bytes().equals(block.bytes())) {
                return false;
            }
            offset += block.messages();
        }
        return true;
    }

    @GuardedBy("this")
    private Optional<StoredBlock> find(long offset, InFlight batch) {
        Optional<StoredBlock> unpublished = inFlightAt(offset, batch);
        return unpublished.isPresent() ? unpublished : published.find(offset);
    }

    @GuardedBy("this")
    private Optional<StoredBlock> inFlightAt(long offset, InFlight batch) {
        List<InFlight> all = new ArrayList<>(inFlight);
        all.add(batch);
        return all.stream()
                .flatMap(each -> each.puts.stream())
                .flatMap(placed -> placed.blocks.stream())
                .filter(block -> block.baseOffset() == offset)
                .findFirst();
    }

    @GuardedBy("this")
    private void submit(InFlight batch, long startNanos) {
        if (batch.puts.isEmpty()) {
            return;
        }
        inFlight.addLast(batch);
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
                durable(batch);
            } else {
                failed(cause(error), batch);
            }
        });
    }

    /** Undoes the last batch, of which the store took nothing: its offsets are given again. */
    @GuardedBy("this")
    private void rollBack(InFlight batch, StorageException busy) {
        inFlight.removeLast();
        nextOffset = batch.puts.get(0).firstOffset();
        for (Placed placed : batch.puts) {
            window.forget(placed.identity, placed.ticket);
            placed.ticket.firstOffset().completeExceptionally(LogFailures.ofAppend(busy));
        }
    }

    private static StorageException cause(Throwable error) {
        return error instanceof StorageException storage
                ? storage
                : new StorageException(Reason.UNAVAILABLE, Effect.UNKNOWN, "append failed", error);
    }

    /** Publishes the batch and those behind it that are durable, as soon as all before it are. */
    private void durable(InFlight batch) {
        List<Placed> ended = new ArrayList<>();
        synchronized (this) {
            batch.durable = true;
            parts.metrics().flushed(parts.ticker().nanos() - batch.submittedNanos);
            while (!inFlight.isEmpty() && inFlight.getFirst().durable && failure == null) {
                InFlight first = inFlight.removeFirst();
                publish(first);
                ended.addAll(first.puts);
            }
        }
        published.wake();
        ended.forEach(placed -> placed.ticket.firstOffset().complete(placed.firstOffset()));
    }

    @GuardedBy("this")
    private void publish(InFlight batch) {
        LogSegment segment = batch.segment.segment();
        List<StoredBlock> blocks = new ArrayList<>();
        for (Placed placed : batch.puts) {
            for (int i = 0; i < placed.blocks.size(); i++) {
                StoredBlock block = placed.blocks.get(i);
                batch.segment.index().add(block.baseOffset(), block.appendTimestamp(), placed.positions.get(i));
                blocks.add(block);
            }
        }
        StoredBlock last = blocks.get(blocks.size() - 1);
        segment.grown(last.endOffset(), batch.position, last.appendTimestamp());
        published.durable(blocks, last.endOffset());
    }

    /**
     * Fails everything in flight, and with the first failure all later appends. The effect that the store states holds
     * for its own batch only: the others may be stored all the same.
     */
    private void failed(StorageException e, @Nullable InFlight failedBatch) {
        List<Placed> ended = new ArrayList<>();
        List<Batch> refused;
        TalosException own = LogFailures.ofAppend(e);
        TalosException ofOthers = LogFailures.ofAppend(
                new StorageException(e.reason(), Effect.UNKNOWN, String.valueOf(e.getMessage()), e));
        synchronized (this) {
            if (failure == null) {
                failure = own;
                LOG.warn("log takes no further append log={} reason={}", id, e.getMessage());
                published.failed();
            }
            inFlight.forEach(batch -> ended.addAll(batch.puts));
            inFlight.clear();
            refused = List.copyOf(parked);
            parked.clear();
        }
        refuse(refused);
        for (Placed placed : ended) {
            boolean isOwn = failedBatch != null && failedBatch.puts.contains(placed);
            placed.ticket.firstOffset().completeExceptionally(isOwn ? own : ofOthers);
        }
    }

    /**
     * Ends appending. Seals the active segment and those that wait for it, after what is in flight; or seals nothing of
     * a log that is about to be deleted. After a failure it waits for nothing and leaves all to be recovered: what
     * hangs must not hold up the opening that does so.
     *
     * @param deleted the log is about to be deleted: waits until nothing is done to its segments any more
     */
    void close(boolean deleted) {
        ActiveSegment last;
        SegmentCatalog.Known whole;
        List<Batch> refused;
        boolean failed;
        synchronized (this) {
            closed = true;
            refused = List.copyOf(parked);
            parked.clear();
            last = active;
            active = null;
            failed = failure != null;
            whole = last == null ? null : whole(last);
        }
        refuse(refused);
        openings.drop(deleted || !failed); // a segment that is begun too late is none of the next owner's
        if (deleted) {
            seals.drop();
        } else if (failed) {
            seals.giveUp(last);
        } else {
            seals.finish(last, whole);
        }
    }
}
