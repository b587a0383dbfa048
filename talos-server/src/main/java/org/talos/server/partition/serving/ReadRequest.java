// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import org.talos.server.log.BlockLimits;
import org.talos.server.log.Slice;
import org.talos.server.log.StoredBlock;

/**
 * A read of one partition. Immutable.
 *
 * @param offset first offset wanted, or one of the protocol's two special ones
 * @param minBytes the read waits for more while there are fewer bytes than this
 * @param waitNanos how long it waits at most; part of the time until the deadline
 */
public record ReadRequest(long offset, BlockLimits limits, long minBytes, long waitNanos) {
    /** Like this one, but answered at once with what is there. */
    ReadRequest withoutWaiting() {
        return new ReadRequest(offset, limits, 0, 0);
    }

    /** Whether what was found is answered: enough bytes, all that the limits allow, or nothing to wait for. */
    boolean isEnough(Slice slice) {
        long bytes = 0;
        long end = slice.durableEnd();
        for (StoredBlock block : slice.blocks()) {
            bytes += block.bytes().remaining();
            end = block.endOffset();
        }
        return waitNanos <= 0 || (bytes > 0 && bytes >= minBytes) || end < slice.durableEnd();
    }
}
