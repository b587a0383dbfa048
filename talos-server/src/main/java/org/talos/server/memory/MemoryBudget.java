// SPDX-License-Identifier: Apache-2.0
package org.talos.server.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Accounts for memory that clients make the server use: what does not fit is refused.
 *
 * <p>A user may hold as much as is free besides, and one thing in any case if there is room for it: one alone half of
 * the memory, two that want all of it a third each. So whatever one user does, there is room for others.
 *
 * <p>Thread-safe.
 */
public final class MemoryBudget {
    private final long limitBytes;
    private final @Nullable MemoryBudget whole; // of which this is a part
    private final AtomicLong usedBytes = new AtomicLong();
    private final ConcurrentMap<String, Share> shares = new ConcurrentHashMap<>();

    /** A budget of so many bytes. */
    public MemoryBudget(long limitBytes) {
        this(limitBytes, null);
    }

    private MemoryBudget(long limitBytes, @Nullable MemoryBudget whole) {
        this.limitBytes = limitBytes;
        this.whole = whole;
    }

    /** Returns a budget whose bytes are counted here too. */
    public MemoryBudget part(long partBytes) {
        return new MemoryBudget(partBytes, this);
    }

    /** What one user holds of the budget. Thread-safe. */
    public final class Share {
        @GuardedBy("this")
        private long heldBytes;

        private Share() {}

        /** The most to be reserved at once: for more there may be no room ever, whoever holds what. */
        public long mostBytes() {
            return limitBytes - limitBytes / 8; // the rest is for requests themselves
        }

        /**
         * The most to be reserved at once now, so that requests still find room beside it; less, or negative, the more
         * the user holds, or others do.
         */
        public synchronized long freeBytes() {
            return mostBytes() - usedBytes.get() - heldBytes;
        }

        /** Reserves bytes; false, and nothing reserved, if the budget has not so many left for this user. */
        public synchronized boolean tryReserve(long bytes) {
            if (!MemoryBudget.this.tryReserve(bytes, heldBytes + bytes)) {
                return false;
            }
            heldBytes += bytes;
            return true;
        }

        /** Counts bytes that can't be refused any more: so much less may be reserved. */
        public synchronized void take(long bytes) {
            heldBytes += bytes;
            MemoryBudget.this.take(bytes);
        }

        /** Releases bytes that were reserved or taken. */
        public synchronized void release(long bytes) {
            heldBytes -= bytes;
            MemoryBudget.this.release(bytes);
        }
    }

    /**
     * What a user holds; there is one for each user that ever was, and one for those who are nobody, by an empty id.
     */
    public Share of(String userId) {
        return shares.computeIfAbsent(userId, each -> new Share());
    }

    /** Reserves bytes of no user; false, and nothing reserved, if the budget has not so many left. */
    public boolean tryReserve(long bytes) {
        return tryReserve(bytes, bytes);
    }

    /** What is refused is not counted for a moment either: others would be refused for it. */
    private boolean tryReserve(long bytes, long atLeastFree) {
        long used = usedBytes.get();
        while (atLeastFree <= limitBytes - used) {
            long before = usedBytes.compareAndExchange(used, used + bytes);
            if (before == used) {
                return reserveOfWhole(bytes);
            }
            used = before;
        }
        return false;
    }

    private boolean reserveOfWhole(long bytes) {
        boolean reserved = whole == null || whole.tryReserve(bytes);
        if (!reserved) {
            usedBytes.addAndGet(-bytes);
        }
        return reserved;
    }

    private void take(long bytes) {
        usedBytes.addAndGet(bytes);
        if (whole != null) {
            whole.take(bytes);
        }
    }

    /** Releases bytes that were reserved of no user. */
    public void release(long bytes) {
        long left = usedBytes.addAndGet(-bytes);
        if (left < 0) {
            throw new IllegalStateException("released more than was reserved: " + left);
        }
        if (whole != null) {
            whole.release(bytes);
        }
    }

    /** Bytes reserved now. */
    public long used() {
        return usedBytes.get();
    }

    /** Bytes that can be reserved in all. */
    public long limit() {
        return limitBytes;
    }
}
