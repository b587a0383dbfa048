// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.talos.common.error.TalosException;
import org.talos.server.service.message.Fetch;
import org.talos.server.service.message.Fetched;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/** A log in memory that is read as a partition is, and counts what is read. Confined: one test. */
final class CountedLog {
    private static final byte[] NOTHING = new byte[16 << 20];

    private final LogId id;
    private final NavigableMap<Long, MessageBlock> blocks = new TreeMap<>();
    private Optional<TalosException.Offsets> damaged = Optional.empty();
    private long start;
    private long end;
    private long storedBytes;
    private int reads;
    private long readBytes;

    CountedLog(int partition) {
        id = new LogId("1".repeat(32), partition);
    }

    /** Appends blocks without content. */
    CountedLog append(int number, int messages, int bytes) {
        for (int i = 0; i < number; i++) {
            ByteBuffer content = ByteBuffer.wrap(NOTHING, 0, bytes);
            append(new MessageBlock(0, messages, MessageCompressionType.NONE, content));
        }
        return this;
    }

    CountedLog append(MessageBlock block) {
        blocks.put(end, block.setStartMessageOffset(end));
        end += block.getMessageNumber();
        storedBytes += block.bufferForMessageBlock().remaining();
        return this;
    }

    /** Leaves offsets out that no message has. */
    CountedLog skip(long offsets) {
        end += offsets;
        return this;
    }

    /** Removes what is before an offset, as retention does. */
    void expire(long before) {
        start = before;
        blocks.headMap(before, false).clear();
    }

    /** Removes what is from an offset on, as a power failure may. */
    void shorten(long from) {
        end = from;
        blocks.tailMap(from, true).clear();
    }

    /** Makes the block at an offset one that storage cannot read. */
    void damage(long first) {
        long last = behind(Objects.requireNonNull(blocks.get(first))) - 1;
        damaged = Optional.of(new TalosException.Offsets(id.partition(), first, last));
    }

    private static long behind(MessageBlock block) {
        return block.getStartMessageOffset() + block.getMessageNumber();
    }

    Fetched read(Fetch fetch) {
        reads++;
        long offset = fetch.offset() == Fetch.EARLIEST ? start : fetch.offset();
        if (offset < start || offset > end) {
            throw TalosException.refused(ErrorCode.MESSAGE_OFFSET_OUT_OF_RANGE, "offset " + offset);
        }
        List<MessageBlock> found = new ArrayList<>();
        long messages = 0;
        long bytes = 0;
        for (MessageBlock each : from(offset)) {
            messages += each.getMessageNumber();
            bytes += each.bufferForMessageBlock().remaining();
            boolean fits = messages <= fetch.maxMessages() && bytes <= fetch.maxBytes();
            if ((!found.isEmpty() && !fits) || isDamaged(each, found)) {
                break;
            }
            found.add(each);
            readBytes += each.bufferForMessageBlock().remaining();
        }
        return new Fetched(id, start, end, found);
    }

    private Iterable<MessageBlock> from(long offset) {
        Map.Entry<Long, MessageBlock> before = blocks.floorEntry(offset);
        long first = before != null && behind(before.getValue()) > offset ? before.getKey() : offset;
        return blocks.tailMap(first, true).values();
    }

    /** Returns whether the block is damaged; a read that begins with it fails. */
    private boolean isDamaged(MessageBlock block, List<MessageBlock> found) {
        boolean isDamaged = damaged.filter(each -> each.first() == block.getStartMessageOffset())
                .isPresent();
        if (isDamaged && found.isEmpty()) {
            throw TalosException.damaged(ErrorCode.HDFS_OPERATION_FAILED, damaged.get(), "damaged", null);
        }
        return isDamaged;
    }

    /** Returns the offsets of the messages in a range, the newest first. */
    List<Long> newestFirst(long from, long to) {
        List<Long> offsets = new ArrayList<>();
        for (MessageBlock each : blocks.descendingMap().values()) {
            for (int i = each.getMessageNumber() - 1; i >= 0; i--) {
                long offset = each.getStartMessageOffset() + i;
                if (offset >= from && offset < to) {
                    offsets.add(offset);
                }
            }
        }
        return offsets;
    }

    long end() {
        return end;
    }

    long storedBytes() {
        return storedBytes;
    }

    int reads() {
        return reads;
    }

    long readBytes() {
        return readBytes;
    }
}
