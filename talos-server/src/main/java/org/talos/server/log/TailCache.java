// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * One bound for the newest blocks of all logs in memory: beyond it the oldest are removed, of whatever log.
 *
 * <p>Thread-safe.
 */
public final class TailCache {
    private final long limitBytes;

    @GuardedBy("this")
    private final Deque<Held> oldestFirst = new ArrayDeque<>();

    @GuardedBy("this")
    private long usedBytes;

    /** A cache of so many bytes for all logs together. */
    public TailCache(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    private record Held(PartitionLog log, long endOffset, int weight) {}

    /** Counts a block that a log holds in memory, and has the oldest blocks of all logs removed beyond the bound. */
    void held(PartitionLog log, StoredBlock block) {
        add(new Held(log, block.endOffset(), block.weight()));
        for (Held oldest = tooMuch(); oldest != null; oldest = tooMuch()) {
            oldest.log.forget(oldest.endOffset);
        }
    }

    private synchronized void add(Held held) {
        oldestFirst.addLast(held);
        usedBytes += held.weight;
    }

    private synchronized @Nullable Held tooMuch() {
        if (usedBytes <= limitBytes) {
            return null;
        }
        Held oldest = oldestFirst.pollFirst();
        usedBytes -= oldest == null ? 0 : oldest.weight;
        return oldest;
    }

    /** Bytes held now. */
    public synchronized long used() {
        return usedBytes;
    }
}
