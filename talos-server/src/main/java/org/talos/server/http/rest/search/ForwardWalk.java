// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Collectors;
import org.talos.common.error.TalosException;
import org.talos.server.http.rest.message.BlockMessages;
import org.talos.server.http.rest.search.SearchSource.Asked;
import org.talos.server.http.rest.search.SearchSource.Range;
import org.talos.server.memory.RequestMemory;
import org.talos.server.service.message.Fetch;
import org.talos.server.service.message.Fetched;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.MessageAndOffset;

/**
 * Searches from the oldest message to the newest: a slice of one partition after another, the partitions taking turns.
 *
 * <p>Confined: one call after another.
 */
final class ForwardWalk implements SearchWalk {
    private final BlockMessages blocks;
    private final RequestMemory memory;
    private final Asked asked;
    private final Deque<Cursor> open = new ArrayDeque<>(); // whose turn it is first

    /** How far a partition has been searched. Confined: as the walk. */
    private static final class Cursor {
        private final Range range;
        private long next;
        private long floor; // messages before are not looked at

        Cursor(Range range) {
            this.range = range;
            next = range.from();
            floor = next;
        }

        /** Continues at the oldest message that there is: retention has taken those from the next one on. */
        void skipExpired() {
            floor = next;
            next = Fetch.EARLIEST;
        }

        boolean isDone() {
            return next >= range.to();
        }
    }

    /** @param memory of the search */
    ForwardWalk(BlockMessages blocks, RequestMemory memory, Asked asked, List<Range> ranges) {
        this.blocks = blocks;
        this.memory = memory;
        this.asked = asked;
        ranges.forEach(range -> open.add(new Cursor(range)));
    }

    @Override
    public boolean isDone() {
        return open.isEmpty();
    }

    @Override
    public Fetch nextRead() {
        Cursor cursor = open.getFirst();
        return new Fetch(cursor.range.partition(), cursor.next, Integer.MAX_VALUE, SLICE_BYTES, Duration.ZERO, 1);
    }

    @Override
    public Looked look(Fetched found, RequestMemory waiting, long most) {
        Cursor cursor = open.getFirst();
        SearchLines lines = new SearchLines(memory.part());
        try (RequestMemory opened = memory.part()) {
            BlockMessages.Reading reading = blocks.read(found, cursor.next, Integer.MAX_VALUE, waiting, opened);
            long scanned = look(cursor, reading, lines, most);
            open.removeFirst();
            if (!cursor.isDone()) {
                open.addLast(cursor);
            }
            long skipped = reading.unreadable().isPresent() ? 1 : 0;
            return new Looked(lines, cursor.range.partition().number(), cursor.next, scanned, skipped);
        } catch (RuntimeException | Error e) {
            lines.close();
            throw e;
        }
    }

    private long look(Cursor cursor, BlockMessages.Reading reading, SearchLines lines, long most) {
        long scanned = 0;
        SearchWork work = new SearchWork();
        if (reading.unreadable().isPresent()) {
            cursor.next = reading.unreadable().get().last() + 1;
        } else if (reading.messages().isEmpty()) {
            cursor.next = cursor.range.to(); // there are fewer messages than the search began with
        }
        for (MessageAndOffset each : reading.messages()) {
            if (each.getMessageOffset() >= cursor.range.to()) {
                cursor.next = cursor.range.to(); // also where retention has taken all that was left of the range
                break;
            }
            boolean isEnough = lines.bytes() >= PIECE_BYTES || lines.count() >= most || work.isEnough();
            if (isEnough || !isLookedAt(cursor, each, lines, work)) {
                break;
            }
            scanned++;
            cursor.next = each.getMessageOffset() + 1;
        }
        return scanned;
    }

    /** Adds a message that matches; returns false if there is no memory for it. */
    private boolean isLookedAt(Cursor cursor, MessageAndOffset each, SearchLines lines, SearchWork work) {
        if (each.getMessageOffset() < cursor.floor || !asked.filter().matches(each.getMessage(), work)) {
            return true;
        }
        try {
            lines.add(cursor.range.partition().number(), each, asked.form(), asked.maxValueBytes());
            return true;
        } catch (RequestMemory.ExhaustedException e) {
            if (lines.count() == 0) {
                throw e;
            }
            return false;
        }
    }

    /** Messages that retention has deleted in the meantime are not reported. */
    @Override
    public boolean continuesAfter(TalosException failure) {
        Cursor cursor = open.getFirst();
        if (failure.code() != ErrorCode.MESSAGE_OFFSET_OUT_OF_RANGE || cursor.next == Fetch.EARLIEST) {
            return false;
        }
        cursor.skipExpired();
        return true;
    }

    /** Returns false: every match is given with the slice that has it. */
    @Override
    public boolean tryFree() {
        return false;
    }

    /** Returns no lines. */
    @Override
    public SearchLines takeRest(long most) {
        return new SearchLines(memory.part());
    }

    @Override
    public String position() {
        return open.stream()
                .map(each -> each.range.partition().number() + ":" + Math.max(0, each.next))
                .collect(Collectors.joining(","));
    }

    /** Does nothing: no match waits. */
    @Override
    public void close() {}
}
