// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.log.ActiveSegment.InFlight;
import org.talos.server.log.ActiveSegment.Placed;
import org.talos.server.log.dedupe.PutIdentity;
import org.talos.server.log.dedupe.RememberedPuts.Remembered;
import org.talos.server.log.gap.SegmentOffsets;
import org.talos.thrift.ErrorCode;

/**
 * Assigns offsets to puts and encodes their entries, unless they repeat an earlier put. Compares with puts in memory
 * only. Puts that only storage has are compared before, without the lock.
 *
 * <p>Confined: under the appender's lock.
 */
final class Placement {
    private final PartitionLog.Parts parts;
    private final DedupeWindow window;
    private final Collection<InFlight> inFlight;
    private final LongFunction<Optional<StoredBlock>> published;
    private long nextOffset; // ahead of the log's durable end while appends are in flight
    private long lastAppendTimestamp;

    /**
     * Creates a placement without offsets before {@link #start}.
     *
     * @param inFlight entries that are placed and not published yet
     * @param published finds published blocks that are in memory
     */
    Placement(
            PartitionLog.Parts parts,
            DedupeWindow window,
            Collection<InFlight> inFlight,
            LongFunction<Optional<StoredBlock>> published) {
        this.parts = parts;
        this.window = window;
        this.inFlight = inFlight;
        this.published = published;
    }

    void start(long firstOffset, long timestamp) {
        nextOffset = firstOffset;
        lastAppendTimestamp = timestamp;
    }

    /** Offset of the next message. */
    long nextOffset() {
        return nextOffset;
    }

    long lastAppendTimestamp() {
        return lastAppendTimestamp;
    }

    /** Finds the puts that may repeat one that only storage has: each then knows the put to compare itself with. */
    List<Candidate> toBeCompared(List<PutBatch> group) {
        List<Candidate> found = new ArrayList<>(0);
        for (PutBatch batch : group) {
            for (Candidate candidate : batch.puts()) {
                if (isToBeCompared(candidate)) {
                    found.add(candidate);
                }
            }
        }
        return found;
    }

    private boolean isToBeCompared(Candidate candidate) {
        Put put = candidate.put();
        Optional<Remembered> earlier =
                window.find(candidate.identity(), put.origin(), parts.ticker().nanos());
        if (earlier.isEmpty() || Put.Key.isMarked(put.sequenceId())) {
            return false;
        }
        long offset = earlier.get().firstOffset();
        if (candidate.isComparedWith(offset)) {
            return false;
        }
        candidate.compareWith(offset);
        AtomicBoolean missing = new AtomicBoolean();
        candidate.compare(
                each -> { // now: it may leave the memory at any time, also between two of its blocks
                    Optional<StoredBlock> found = find(each, null);
                    missing.compareAndSet(false, found.isEmpty());
                    return found;
                });
        return missing.get();
    }

    /** Adds a put's entries to those that are handed to the store together; its ticket follows an earlier one's. */
    void place(Candidate candidate, InFlight batch) {
        Put put = candidate.put();
        long nanos = parts.ticker().nanos();
        Optional<PutTicket> answer = window.find(candidate.identity(), put.origin(), nanos)
                .flatMap(earlier -> repeated(candidate, earlier, batch));
        if (answer.isPresent()) {
            candidate.ticket().follow(answer.get());
            return;
        }
        lastAppendTimestamp = Math.max(lastAppendTimestamp, parts.clock().millis());
        int blocks = put.blocks().size();
        long firstOffset = nextOffset;
        List<StoredBlock> stored = new ArrayList<>(blocks);
        List<Long> positions = new ArrayList<>(blocks);
        for (int i = 0; i < blocks; i++) {
            Block block = put.blocks().get(i);
            ByteBuffer head = EntryFormat.head(put, i, candidate.checksum(i), nextOffset, lastAppendTimestamp);
            positions.add(batch.position);
            stored.add(new StoredBlock(nextOffset, lastAppendTimestamp, block));
            batch.bytes.add(head);
            batch.bytes.add(block.bytes());
            batch.position += head.remaining() + (long) block.bytes().remaining();
            nextOffset += block.messages();
        }
        Optional<Remembered> remembered = window.remember(candidate.identity(), firstOffset, nanos);
        batch.puts.add(new Placed(remembered, candidate.ticket(), stored, positions));
        remembered.ifPresent(each -> candidate.ticket().whenUnanswered(() -> window.mark(each, true)));
    }

    /** Rolls back the last batch: its offsets are assigned again. */
    void rollBack(InFlight batch) {
        nextOffset = batch.puts.get(0).firstOffset();
        batch.puts.forEach(placed -> placed.remembered().ifPresent(window::forget));
    }

    /** Returns the answer to a put that repeats an earlier one; empty if it does not, and must be appended. */
    private Optional<PutTicket> repeated(Candidate candidate, Remembered earlier, InFlight batch) {
        Put put = candidate.put();
        if (Put.Key.isMarked(put.sequenceId())) {
            return Optional.of(
                    earlier.identity().hasContentOf(candidate.identity()) ? again(earlier, batch) : otherPutOfTheKey());
        }
        long offset = earlier.firstOffset();
        TalosException notCompared = candidate.notCompared();
        if (candidate.isComparedWith(offset) && notCompared != null) {
            return Optional.of(PutTicket.refused(notCompared));
        }
        // A put that was not compared is part of the batches that are being placed.
        boolean same = candidate.isComparedWith(offset)
                ? candidate.isSameAs(offset)
                : candidate.hasBytesOf(offset, each -> find(each, batch));
        return same ? Optional.of(again(earlier, batch)) : Optional.empty();
    }

    /** Answers with an earlier put. From now on that put counts as answered: the next equal put may be a new one. */
    private PutTicket again(Remembered earlier, InFlight batch) {
        parts.metrics().repeated();
        window.mark(earlier, false);
        boolean isPublished = unpublished(batch)
                .findFirst()
                .filter(first -> first.firstOffset() <= earlier.firstOffset())
                .isEmpty();
        return isPublished ? published(earlier) : ticketOf(earlier, batch);
    }

    private PutTicket ticketOf(Remembered earlier, InFlight batch) {
        return unpublished(batch)
                .filter(placed -> placed.remembered()
                        .filter(each -> each.number() == earlier.number())
                        .isPresent())
                .map(Placed::ticket)
                .findFirst()
                .orElseGet(() -> published(earlier));
    }

    /**
     * Publishes a remembered put, which is durable once it is no longer in flight: after a failed batch the log places
     * nothing more.
     */
    private PutTicket published(Remembered earlier) {
        PutTicket ticket = PutTicket.stored(earlier.firstOffset());
        ticket.whenUnanswered(() -> window.mark(earlier, true));
        return ticket;
    }

    private Stream<Placed> unpublished(@Nullable InFlight batch) {
        Stream<InFlight> all = batch == null ? inFlight.stream() : Stream.concat(inFlight.stream(), Stream.of(batch));
        return all.flatMap(each -> each.puts.stream());
    }

    private static PutTicket otherPutOfTheKey() {
        return PutTicket.refused(TalosException.refused(
                ErrorCode.LOCK_VALUE_NOT_EXPECTED, "the key of this put was used for another put"));
    }

    /** Returns a block in memory: of this batch, of another that is in flight, or published. */
    private Optional<StoredBlock> find(long offset, @Nullable InFlight batch) {
        Optional<StoredBlock> unpublished = unpublished(batch)
                .flatMap(placed -> placed.blocks().stream())
                .filter(block -> block.baseOffset() == offset)
                .findFirst();
        return unpublished.isPresent() ? unpublished : published.apply(offset);
    }

    /**
     * Puts that were appended by one call, before they have their place in a segment.
     *
     * <p>Confined: to the thread that appends, then under the appender's lock.
     */
    static final class PutBatch {
        /**
         * Largest append, unless one put alone is larger: a store may have to write the append as a whole, and all
         * others wait for it.
         */
        private static final long MAX_APPEND_BYTES = 8L << 20;

        private final List<Candidate> puts;
        private final long bytes;
        private final long messages;

        private PutBatch(List<Candidate> puts, long bytes, long messages) {
            this.puts = puts;
            this.bytes = bytes;
            this.messages = messages;
        }

        /** Computes everything that needs no lock; returns several batches if the puts are too many for one append. */
        static List<PutBatch> of(List<Put> puts) {
            List<PutBatch> batches = new ArrayList<>(1);
            List<Candidate> next = new ArrayList<>(puts.size());
            long bytes = 0;
            long messages = 0;
            for (Put put : puts) {
                Candidate each = new Candidate(put);
                if (!next.isEmpty() && isTooMuch(bytes + each.bytes(), messages + put.messages())) {
                    batches.add(new PutBatch(next, bytes, messages));
                    next = new ArrayList<>();
                    bytes = 0;
                    messages = 0;
                }
                next.add(each);
                bytes += each.bytes();
                messages += put.messages();
            }
            batches.add(new PutBatch(next, bytes, messages));
            return batches;
        }

        /** Removes as many of the first puts as one append may have, at least one. */
        static List<PutBatch> takeFirst(List<PutBatch> parked) {
            int count = 1;
            long bytes = parked.get(0).bytes;
            long messages = parked.get(0).messages;
            while (count < parked.size()
                    && !isTooMuch(bytes + parked.get(count).bytes, messages + parked.get(count).messages)) {
                bytes += parked.get(count).bytes;
                messages += parked.get(count).messages;
                count++;
            }
            List<PutBatch> first = parked.subList(0, count);
            List<PutBatch> taken = List.copyOf(first);
            first.clear();
            return taken;
        }

        private static boolean isTooMuch(long bytes, long messages) {
            return bytes > MAX_APPEND_BYTES || messages > SegmentOffsets.MOST_TOGETHER;
        }

        List<Candidate> puts() {
            return puts;
        }

        static List<PutTicket> tickets(List<PutBatch> batches) {
            List<PutTicket> tickets = new ArrayList<>(batches.get(0).puts.size());
            for (PutBatch batch : batches) {
                for (Candidate each : batch.puts) {
                    tickets.add(each.ticket);
                }
            }
            return tickets;
        }

        /** Returns an upper bound of the bytes of their entries. */
        static long bytes(List<PutBatch> group) {
            long bytes = 0;
            for (PutBatch batch : group) {
                bytes += batch.bytes;
            }
            return bytes;
        }

        /** Ends all puts, of which nothing was appended. */
        static void refuse(List<PutBatch> batches, Exception reason) {
            for (PutBatch batch : batches) {
                batch.puts.forEach(each -> each.ticket.firstOffset().completeExceptionally(reason));
            }
        }
    }

    /**
     * Puts without a place in the log yet: they wait for a segment, or for memory, in the order of their arrival.
     *
     * <p>Confined: under the appender's lock.
     */
    static final class ParkedPuts {
        private final List<PutBatch> parked = new ArrayList<>(); // for a segment, or behind puts that wait for memory
        private List<PutBatch> reserving = List.of(); // puts that get memory, and then their place

        void addAll(List<PutBatch> batches) {
            parked.addAll(batches);
        }

        /** Returns whether no puts wait except those that get memory. */
        boolean isEmpty() {
            return parked.isEmpty();
        }

        /** Returns whether some get memory. */
        boolean areReserving() {
            return !reserving.isEmpty();
        }

        /** Returns whether these get memory, and were not refused in the meantime. */
        boolean areReserving(List<PutBatch> group) {
            return reserving == group;
        }

        /** Takes the first waiting puts, as many as may get their offsets together; they get memory from now on. */
        List<PutBatch> reserveNext() {
            reserving = PutBatch.takeFirst(parked);
            return reserving;
        }

        /** Notes that the puts that got memory have their place, or need none. */
        void reserved() {
            reserving = List.of();
        }

        /** Takes all of them, to be refused. */
        List<PutBatch> takeAll() {
            List<PutBatch> all = new ArrayList<>(reserving);
            all.addAll(parked);
            reserving = List.of();
            parked.clear();
            return all;
        }
    }

    /** A put, and its comparison with the earlier one that it may repeat. Confined: as its batch. */
    static final class Candidate {
        private static final int MAX_BYTES_OF_CHAR = 3;

        private final Put put;
        private final int[] checksums;
        private final PutIdentity identity;
        private final PutTicket ticket = new PutTicket();
        private long comparedOffset = -1;
        private boolean same;
        private @Nullable TalosException notCompared;

        Candidate(Put put) {
            this.put = put;
            checksums = new int[put.blocks().size()];
            for (int i = 0; i < checksums.length; i++) {
                checksums[i] = EntryFormat.checksum(put.blocks().get(i).bytes());
            }
            identity = DedupeWindow.identity(put, checksums);
        }

        Put put() {
            return put;
        }

        PutIdentity identity() {
            return identity;
        }

        PutTicket ticket() {
            return ticket;
        }

        int checksum(int block) {
            return checksums[block];
        }

        private long bytes() {
            long ofEach = EntryFormat.HEADER_BYTES
                    + (long) MAX_BYTES_OF_CHAR * put.sequenceId().length();
            long bytes = 0;
            for (Block block : put.blocks()) {
                bytes += ofEach + block.attributes().remaining() + block.bytes().remaining();
            }
            return bytes;
        }

        /** Sets the offset of the put to compare with, by {@link #compare}. */
        void compareWith(long offset) {
            comparedOffset = offset;
            same = false;
            notCompared = null;
        }

        boolean isComparedWith(long offset) {
            return comparedOffset == offset;
        }

        /** Compares the bytes; blocks until they are found. */
        void compare(LongFunction<Optional<StoredBlock>> find) {
            try {
                same = hasBytesOf(comparedOffset, find);
            } catch (TalosException e) {
                notCompared = LogFailures.notCompared(e);
            }
        }

        /** Returns whether the put at an offset has the same bytes; false if some of them are not found. */
        boolean hasBytesOf(long firstOffset, LongFunction<Optional<StoredBlock>> find) {
            long offset = firstOffset;
            for (Block block : put.blocks()) {
                Optional<StoredBlock> stored = find.apply(offset);
                if (stored.isEmpty() || !stored.get().bytes().equals(block.bytes())) {
                    return false;
                }
                offset += block.messages();
            }
            return true;
        }

        /** Returns why it is unknown whether it repeats the earlier put. */
        @Nullable
        TalosException notCompared() {
            return notCompared;
        }

        /** Returns whether it was found to have the same bytes as the put at an offset. */
        boolean isSameAs(long offset) {
            return same && comparedOffset == offset;
        }
    }
}
