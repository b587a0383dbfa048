// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import org.jspecify.annotations.Nullable;
import org.talos.server.log.BlockLimits;
import org.talos.server.log.EndWait;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.Slice;
import org.talos.server.log.StoredBlock;
import org.talos.server.runtime.thread.Continuation;

/**
 * A read of one partition. Immutable.
 *
 * @param offset first offset wanted, or one of the protocol's two special ones
 * @param minBytes the read waits while there are fewer bytes than this
 * @param waitNanos longest wait; part of the time until the deadline
 */
public record ReadRequest(long offset, BlockLimits limits, long minBytes, long waitNanos) {
    /** Returns the same request, but answered at once with the messages so far. */
    ReadRequest withoutWaiting() {
        return new ReadRequest(offset, limits, 0, 0);
    }

    /** Returns this request with another wait, which may be over. */
    ReadRequest waiting(long nanos) {
        return nanos <= 0 ? withoutWaiting() : new ReadRequest(offset, limits, minBytes, nanos);
    }

    /** Returns the same request, with a special offset replaced by the real one. */
    ReadRequest from(long place) {
        return new ReadRequest(place, limits, minBytes, waitNanos);
    }

    /** Returns whether the result is answered: enough bytes, as many as the limits allow, or no reason to wait. */
    boolean isEnough(Slice slice) {
        long bytes = 0;
        long messages = 0;
        long end = slice.durableEnd();
        for (StoredBlock block : slice.blocks()) {
            bytes += block.block().bytes().remaining();
            messages += block.block().messages();
            end = block.endOffset();
        }
        return waitNanos <= 0
                || bytes >= enoughBytes()
                || (messages > 0 && messages >= limits.messages())
                || end < slice.durableEnd();
    }

    /**
     * Returns the wait after a read that found too little: for the missing bytes, or for as many messages as it may
     * have.
     *
     * @param slice result of the read
     * @param end of the log, before it was read
     * @param where runs the task; null for a thread of the readers
     */
    EndWait waitAfter(Slice slice, PartitionLog.End end, @Nullable Continuation where, Runnable task) {
        if (enoughBytes() == 1) {
            return new EndWait(slice.durableEnd(), Long.MAX_VALUE, where, task);
        }
        long first = offset;
        long missing = enoughBytes();
        if (!slice.blocks().isEmpty()) {
            first = slice.blocks().get(0).baseOffset();
            for (StoredBlock block : slice.blocks()) {
                missing -= block.endOffset() <= end.offset()
                        ? block.block().bytes().remaining()
                        : 0;
            }
        }
        return new EndWait(first + Math.max(1, limits.messages()) - 1, end.bytes() + missing, where, task);
    }

    private long enoughBytes() {
        return Math.max(1, Math.min(minBytes, limits.bytes()));
    }
}
