// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The newest blocks of one log in memory: in order and without gaps, since blocks are added at the end and removed at
 * the beginning. A ring in an array, because chains of nodes with references from old to young ones are costly for
 * garbage collectors.
 *
 * <p>Thread-safe.
 */
final class TailBlocks {
    private static final int FIRST_CAPACITY = 16;

    @GuardedBy("this")
    private @Nullable StoredBlock[] ring = new StoredBlock[FIRST_CAPACITY];

    @GuardedBy("this")
    private int head;

    @GuardedBy("this")
    private int size;

    /** Adds a block behind all others. */
    synchronized void add(StoredBlock block) {
        if (size == ring.length) {
            @Nullable StoredBlock[] larger = new StoredBlock[2 * size];
            for (int i = 0; i < size; i++) {
                larger[i] = at(i);
            }
            ring = larger;
            head = 0;
        }
        ring[(head + size) & (ring.length - 1)] = block;
        size++;
    }

    /** Removes blocks that end at an offset or before. */
    synchronized void removeTo(long endOffset) {
        while (size > 0 && at(0).endOffset() <= endOffset) {
            ring[head] = null;
            head = (head + 1) & (ring.length - 1);
            size--;
        }
    }

    /**
     * Returns blocks from the one with the offset on, within the limits, none of which reaches past the end.
     *
     * @return empty if the offset is not in memory, or nothing is within the limits
     */
    synchronized List<StoredBlock> from(long offset, long end, BlockLimits.Count limits) {
        List<StoredBlock> blocks = new ArrayList<>();
        if (size == 0 || offset < at(0).baseOffset()) {
            return blocks;
        }
        for (int i = indexOf(offset); i < size; i++) {
            StoredBlock block = at(i);
            if (block.endOffset() <= offset || block.endOffset() > end || !limits.take(block)) {
                break;
            }
            blocks.add(block);
        }
        return blocks;
    }

    /** Returns the last block that begins at the offset or before. */
    @GuardedBy("this")
    private int indexOf(long offset) {
        int low = 0;
        int high = size - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (at(middle).baseOffset() <= offset) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    @GuardedBy("this")
    private StoredBlock at(int index) {
        StoredBlock block = ring[(head + index) & (ring.length - 1)];
        if (block == null) {
            throw new IllegalStateException("no block at " + index + " of " + size);
        }
        return block;
    }

    synchronized void clear() {
        Arrays.fill(ring, null);
        size = 0;
    }
}
