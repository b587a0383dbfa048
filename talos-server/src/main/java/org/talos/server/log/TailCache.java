// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One bound for the newest blocks of all logs in memory. Beyond it, the oldest blocks are removed, whichever log they
 * belong to.
 *
 * <p>Thread-safe.
 */
public final class TailCache {
    private final long limitBytes;

    @GuardedBy("this")
    private final Deque<Held> oldestFirst = new ArrayDeque<>();

    @GuardedBy("this")
    private long usedBytes;

    /** Creates a cache of this number of bytes for all logs together. */
    public TailCache(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    @GuardedBy("this")
    private int ended; // of the held bytes: blocks of closed logs

    private record Held(Holder holder, long endOffset, int weight) {}

    /**
     * Returns a log's part of the cache.
     *
     * @param forget removes the log's blocks up to an offset from memory; must not block
     */
    Holder holder(LongConsumer forget) {
        return new Holder(forget);
    }

    /** The part of the cache that one log holds. Thread-safe. */
    final class Holder implements AutoCloseable {
        private final LongConsumer forget;
        private int blocks; // guarded by the cache, as are the others
        private long bytes;
        private boolean closed;

        private Holder(LongConsumer forget) {
            this.forget = forget;
        }

        /**
         * Counts a block that the log holds in memory, and has the oldest blocks of all logs removed beyond the bound.
         */
        void held(StoredBlock block) {
            add(new Held(this, block.endOffset(), block.weight()));
            for (Held oldest = tooMuch(); oldest != null; oldest = tooMuch()) {
                oldest.holder.forget.accept(oldest.endOffset);
            }
        }

        /** Notes that the log has forgotten all its blocks. May be called twice. */
        @Override
        public void close() {
            end(this);
        }
    }

    private synchronized void add(Held held) {
        if (held.holder.closed) {
            return;
        }
        oldestFirst.addLast(held);
        held.holder.blocks++;
        held.holder.bytes += held.weight;
        usedBytes += held.weight;
    }

    private synchronized @Nullable Held tooMuch() {
        while (usedBytes > limitBytes) {
            Held oldest = oldestFirst.removeFirst();
            if (!oldest.holder.closed) {
                oldest.holder.blocks--;
                oldest.holder.bytes -= oldest.weight;
                usedBytes -= oldest.weight;
                return oldest;
            }
            ended--;
        }
        return null;
    }

    private synchronized void end(Holder holder) {
        if (holder.closed) {
            return;
        }
        holder.closed = true;
        usedBytes -= holder.bytes;
        ended += holder.blocks;
        if (ended > oldestFirst.size() / 2) { // not at each end: it visits all blocks of all logs
            oldestFirst.removeIf(held -> held.holder.closed);
            ended = 0;
        }
    }

    /** Returns the bytes held now. */
    public synchronized long used() {
        return usedBytes;
    }
}
