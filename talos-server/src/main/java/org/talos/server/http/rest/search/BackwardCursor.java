// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import org.talos.common.error.TalosException;
import org.talos.server.http.rest.search.SearchSource.Range;
import org.talos.server.service.message.Fetch;
import org.talos.server.service.message.Fetched;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.MessageBlock;

/**
 * Decides which reads search one partition from its newest message to its oldest.
 *
 * <p>A log is read forwards and by whole blocks, and the number of bytes between two offsets is unknown. So each read
 * begins a number of messages before the searched range, and must reach it. The number follows the message size of the
 * last read: as many as fill three quarters of a slice, so that messages a third larger still fit. A read that does not
 * reach the range is not searched, because newer messages come first. Its range is remembered as one that fits one
 * read, and the next read begins behind it, at half the distance at most. So hardly a byte is read more than twice. A
 * byte may be read again only where offsets are missing, or where a piece ends inside a block.
 *
 * <p>Confined: one search, one call after another.
 */
final class BackwardCursor {
    /** The newest block alone: a search that a small bound ends has searched something, and can continue from there. */
    private static final int FIRST_MESSAGES = 1;

    /** Of one piece: fewer than a server's usual bound of a get, beyond which a read ends earlier than planned. */
    private static final int MOST_MESSAGES = 16 << 10;

    private static final long TARGET_BYTES = SearchWalk.SLICE_BYTES * 3 / 4;
    private static final int GROWTH = 8;
    private static final long LONGEST_GAP = 1L << 30; // that is passed in one read

    private final Range range;
    private final Deque<Span> unsearched = new ArrayDeque<>(); // the newest first
    private long before; // the range is searched from here on
    private long oldest; // messages before are not searched
    private long begin; // of the read under way, or of its first block
    private long messages = FIRST_MESSAGES; // of the next piece
    private long largestBlock = 1; // in messages, of the last read: a read may begin at the last message of such a one
    private boolean startIsUnknown; // retention has taken the message at which the last read was to begin

    /**
     * A range that a read from its beginning has, and that is not searched. Immutable.
     *
     * @param to the offset at which a block begins, or behind damaged messages
     */
    private record Span(long from, long to) {}

    BackwardCursor(Range range) {
        this.range = range;
        before = range.to();
        oldest = range.from();
    }

    /** Returns the number of the partition. */
    int partition() {
        return range.partition().number();
    }

    /** Returns the offset from which on the range is searched. */
    long before() {
        return before;
    }

    /** Returns the oldest offset that is searched. */
    long oldest() {
        return oldest;
    }

    boolean isDone() {
        return before <= oldest;
    }

    /** Returns the next read; only while the cursor is not done. */
    Fetch nextRead() {
        begin = nextBegin();
        int most = (int) Math.min(Integer.MAX_VALUE, before - begin + largestBlock - 1);
        long offset = startIsUnknown ? Fetch.EARLIEST : begin;
        return new Fetch(range.partition(), offset, most, SearchWalk.SLICE_BYTES, Duration.ZERO, 1);
    }

    private long nextBegin() {
        dropSpansFrom(before);
        Span newest = unsearched.peek();
        if (newest == null) {
            return Math.max(oldest, before - messages);
        }
        long from = before <= newest.to() ? newest.from() : Math.max(newest.to(), before - messages);
        return Math.max(oldest, from);
    }

    private void dropSpansFrom(long offset) {
        while (!unsearched.isEmpty() && unsearched.getFirst().from() >= offset) {
            unsearched.removeFirst();
        }
    }

    /**
     * Takes the result of the read.
     *
     * @return the blocks to search, the newest first; none if the read ended before the searched range
     */
    List<MessageBlock> take(Fetched found) {
        startIsUnknown = false;
        oldest = Math.max(oldest, found.startOffset());
        before = Math.min(before, found.endOffset()); // a power failure may have shortened the log
        List<MessageBlock> blocks = new ArrayList<>();
        for (MessageBlock each : found.blocks()) {
            if (each.getStartMessageOffset() < before && end(each) > oldest) {
                blocks.add(each);
            }
        }
        if (isDone()) {
            return List.of();
        }
        if (blocks.isEmpty()) {
            before = Math.min(before, begin); // a gap of unknown length
            messages = Math.min(LONGEST_GAP, messages * GROWTH);
            return List.of();
        }
        begin = Math.max(oldest, Math.min(begin, blocks.get(0).getStartMessageOffset()));
        largestBlock =
                blocks.stream().mapToInt(MessageBlock::getMessageNumber).max().orElse(1);
        long end = end(found.blocks().get(found.blocks().size() - 1));
        if (end < before) {
            addSpan(end);
            messages = Math.max(1, (before - begin) / 2);
            return List.of();
        }
        messages = fitting(blocks);
        Collections.reverse(blocks);
        return List.copyOf(blocks);
    }

    private static long end(MessageBlock block) {
        return block.getStartMessageOffset() + block.getMessageNumber();
    }

    private void addSpan(long to) {
        dropSpansFrom(begin);
        unsearched.addFirst(new Span(begin, to));
    }

    /** Returns the number of messages of this size that fit into a piece. */
    private long fitting(List<MessageBlock> blocks) {
        long number = 0;
        long bytes = 1;
        for (MessageBlock each : blocks) {
            number += each.getMessageNumber();
            bytes += each.bufferForMessageBlock().remaining();
        }
        long most = Math.min(MOST_MESSAGES, GROWTH * Math.max(messages, number));
        return Math.max(1, Math.min(most, number * TARGET_BYTES / bytes));
    }

    /** Marks the messages from an offset on as searched, or as not searched yet. */
    void moveTo(long offset) {
        before = offset;
    }

    /** Marks all that the read has as searched. */
    void finishRead() {
        before = Math.min(before, begin);
    }

    /** Bounds the messages of the next read: messages that are not searched would be read again. */
    void limitNextRead(long most) {
        messages = Math.max(1, Math.min(messages, most));
    }

    /** Returns whether another read continues after one that failed. */
    boolean continuesAfter(TalosException failure) {
        if (failure.code() == ErrorCode.MESSAGE_OFFSET_OUT_OF_RANGE && !startIsUnknown) {
            startIsUnknown = true;
            return true;
        }
        return failure.damaged().map(this::isSkipped).orElse(false);
    }

    /** Newer messages are searched first; the search fails once only the damaged ones are next. */
    private boolean isSkipped(TalosException.Offsets damaged) {
        long behind = damaged.last() + 1;
        if (behind <= begin || behind >= before) {
            return false;
        }
        startIsUnknown = false;
        begin = Math.max(oldest, Math.min(begin, damaged.first()));
        addSpan(behind);
        return true;
    }
}
