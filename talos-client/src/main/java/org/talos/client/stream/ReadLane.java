// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.talos.client.transport.PartitionRef;
import org.talos.thrift.MessageBlock;

/**
 * One partition that is read over a stream: the messages that have arrived, and the next offset.
 *
 * <p>Invariant: the messages that have arrived have no gap, from the offset that the reader wants up to the next one.
 *
 * <p>Confined: the lock of its {@link StreamReads}.
 */
final class ReadLane {
    private final PartitionRef partition;
    private final Runnable onArrival;
    private final Deque<ServerMessage.Block> ready = new ArrayDeque<>();
    private @Nullable ReadLink link; // the stream of the subscription
    private long next; // first offset that has not arrived
    private long end; // one past the newest message, by the last block
    private int bytes; // of the ready messages
    private boolean wanted;
    private boolean isByCall = true;
    private boolean hasYielded;
    private long usedNanos;

    /** @param onArrival runs when messages are ready for the reader, or when no more will come */
    ReadLane(PartitionRef partition, Runnable onArrival) {
        this.partition = partition;
        this.onArrival = onArrival;
    }

    PartitionRef partition() {
        return partition;
    }

    Runnable onArrival() {
        return onArrival;
    }

    /** Returns the stream that brings the partition; null if there is none. */
    @Nullable
    ReadLink link() {
        return link;
    }

    /** Returns whether a call must get the next messages, to report an error or a jump. */
    boolean isByCall() {
        return isByCall;
    }

    /** Notes that a call has got messages. */
    void called() {
        isByCall = false;
    }

    /** Notes that a stream brings the partition from now on, from an offset. */
    void subscribe(ReadLink on, long from) {
        link = on;
        next = from;
        end = from;
    }

    /** Returns whether the stream continues at an offset without a new request. */
    boolean covers(long offset) {
        ServerMessage.Block first = ready.peek();
        return offset <= next && (first == null ? offset == next : first.asked() <= offset);
    }

    /** Adds a block, unless it is of an earlier subscription. */
    boolean add(ServerMessage.Block block) {
        if (block.asked() != next || block.behind() <= next) {
            return false;
        }
        ready.add(block);
        bytes += block.cost();
        next = block.behind();
        end = block.end();
        return true;
    }

    /** Forgets the blocks before an offset, and returns their share of the credit. */
    int skipTo(long offset) {
        int before = bytes;
        for (ServerMessage.Block first = ready.peek();
                first != null && first.behind() <= offset;
                first = ready.peek()) {
            bytes -= first.cost();
            ready.remove();
        }
        return before - bytes;
    }

    /** Forgets all ready messages, and returns their share of the credit. */
    int clear() {
        int before = bytes;
        ready.clear();
        bytes = 0;
        return before;
    }

    /** Leaves all streams: a call gets the next messages. Returns the ready messages' share of the credit. */
    int cut() {
        link = null;
        isByCall = true;
        return clear();
    }

    /** Yields to other partitions of its stream, which it has kept waiting. */
    void yieldToOthers() {
        hasYielded = true;
    }

    /** Returns whether it ever had to yield. */
    boolean hasYielded() {
        return hasYielded;
    }

    /** Returns the first ready blocks, at least one if there is any. */
    List<MessageBlock> first(int maxMessages, int maxBytes) {
        List<MessageBlock> blocks = new ArrayList<>();
        int messages = 0;
        long size = 0;
        for (ServerMessage.Block each : ready) {
            size += each.bytes().remaining();
            if (!blocks.isEmpty() && (messages >= maxMessages || size > maxBytes)) {
                break;
            }
            messages += each.block().getMessageNumber();
            blocks.add(each.block());
        }
        return blocks;
    }

    /** Notes that the reader requests messages. */
    void use(boolean isWanted, long nowNanos) {
        wanted = isWanted;
        usedNanos = nowNanos;
    }

    /** Returns whether the reader waits for messages of a stream. */
    boolean isAwaited() {
        return wanted && link != null && ready.isEmpty();
    }

    /** Returns whether messages are ready that the reader waits for. */
    boolean isBehind() {
        return isAwaited() && next < end;
    }

    /** Returns whether the reader has requested nothing for this time. */
    boolean isLeft(long nowNanos, long forNanos) {
        return !isAwaited() && nowNanos - usedNanos > forNanos;
    }

    /** Returns the bytes of the ready messages. */
    int bytes() {
        return bytes;
    }
}
