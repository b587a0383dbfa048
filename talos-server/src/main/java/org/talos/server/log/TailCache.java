// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One bound for the newest blocks of all logs in memory: beyond it the oldest go first, whosever they are.
 *
 * <p>Thread-safe.
 */
public final class TailCache {
    private final long limitBytes;
    private final AtomicLong usedBytes = new AtomicLong();
    private final ConcurrentLinkedQueue<Held> oldestFirst = new ConcurrentLinkedQueue<>();

    /** A cache of so many bytes for all logs together. */
    public TailCache(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    private record Held(PartitionLog log, long baseOffset, int weight) {}

    /** A log holds one more block; others, or it, let go of what is too much. */
    void held(PartitionLog log, StoredBlock block) {
        oldestFirst.add(new Held(log, block.baseOffset(), block.weight()));
        usedBytes.addAndGet(block.weight());
        while (usedBytes.get() > limitBytes) {
            Held oldest = oldestFirst.poll();
            if (oldest == null) {
                return;
            }
            usedBytes.addAndGet(-oldest.weight);
            oldest.log.forget(oldest.baseOffset);
        }
    }

    /** Bytes held now. */
    public long used() {
        return usedBytes.get();
    }
}
