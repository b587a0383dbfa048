// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.nio.ByteBuffer;
import java.util.List;
import org.talos.thrift.MessageBlock;

/** A message of the server. Immutable; the bytes of a block belong to the receiver. */
sealed interface ServerMessage {
    /**
     * The stream is open.
     *
     * @param window bytes that either side may send before the other grants more
     * @param largestPut bytes of the largest message of a put
     */
    record Opened(int window, int largestPut, int partitions) implements ServerMessage {}

    /** Puts that are stored. */
    record Stored(List<Place> places) implements ServerMessage {}

    /** Where a put is stored. */
    record Place(int partition, long number, long offset) {}

    /**
     * A put that is not stored.
     *
     * @param surelyNotDone whether nothing happened; else it may be stored
     */
    record Refused(boolean surelyNotDone, int partition, long number, StreamProblem problem) implements ServerMessage {}

    /** Allows this number of bytes more of puts. */
    record Credit(int bytes) implements ServerMessage {}

    /**
     * A stored block.
     *
     * @param cost its share of the credit
     * @param asked first offset of it that was asked for
     * @param end one past the newest message of the partition
     */
    record Block(int cost, int partition, MessageBlock block, long asked, long end) implements ServerMessage {
        /** Its bytes; positions and limits are its own. */
        ByteBuffer bytes() {
            return block.bufferForMessageBlock();
        }

        /** Returns the offset behind its last message. */
        long behind() {
            return block.getStartMessageOffset() + block.getMessageNumber();
        }
    }

    /** The end of a subscription. */
    record Ended(int partition, StreamProblem problem) implements ServerMessage {}

    /** The server stops: the next stream must be opened to another server after a time. */
    record Move(int afterMillis) implements ServerMessage {}
}
