// SPDX-License-Identifier: Apache-2.0
package org.talos.server.memory;

import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Accounts for memory that clients make the server use. A reservation that does not fit is refused.
 *
 * <p>A user may hold as much memory as is still free. One user alone gets up to half, and two greedy users get a third
 * each, so that there is always room for others. A user without reservations may reserve all free memory.
 *
 * <p>In a budget with floors, the last sixteenth is for users that hold little. Others may not reserve it, and neither
 * may clients without a key.
 *
 * <p>Reserved memory is released by the end of the work that needs it. {@link #close} finds forgotten reservations, in
 * every test that stops a server.
 *
 * <p>Thread-safe.
 */
public final class MemoryBudget implements AutoCloseable {
    private static final int KEPT_PART = 16;
    private static final int LITTLE_USERS = 32; // users that can reach their floors at once

    private final long limitBytes;
    private final long keptBytes; // for users that hold little
    private final long floorBytes; // largest amount of such a user
    private final int parts; // of the free memory, of which a user may hold one
    private final @Nullable MemoryBudget whole; // of which this is a part
    private final AtomicLong usedBytes = new AtomicLong();
    /** Bytes by user id. A user without any has no entry: clients may choose ids, so entries must not stay. */
    private final ConcurrentMap<String, Long> held = new ConcurrentHashMap<>();

    /** Creates a budget of this number of bytes. */
    public MemoryBudget(long limitBytes) {
        this(limitBytes, 0, 0, 1, null);
    }

    private MemoryBudget(long limitBytes, long keptBytes, long floorBytes, int parts, @Nullable MemoryBudget whole) {
        this.limitBytes = limitBytes;
        this.keptBytes = keptBytes;
        this.floorBytes = floorBytes;
        this.parts = parts;
        this.whole = whole;
    }

    /** Returns a budget with floors: a user that holds little finds room however much others hold. */
    public static MemoryBudget withFloors(long limitBytes) {
        long keptBytes = limitBytes / KEPT_PART;
        return new MemoryBudget(limitBytes, keptBytes, keptBytes / LITTLE_USERS, 1, null);
    }

    /**
     * Returns a budget that only many users fill together: a user may hold a part of the free memory. If each could
     * hold half of it, ten users one after another would leave nothing to others.
     *
     * @param parts of the free memory
     * @param floorBytes that a user may hold in any case, if they are free
     */
    public static MemoryBudget inParts(long limitBytes, int parts, long floorBytes) {
        return new MemoryBudget(limitBytes, 0, floorBytes, parts, null);
    }

    /** Returns a budget whose bytes are counted here too. */
    public MemoryBudget part(long partBytes) {
        return new MemoryBudget(partBytes, 0, 0, 1, this);
    }

    /**
     * One user's part of the budget. All objects for one user are the same part, however long they are kept.
     * Thread-safe.
     */
    public final class Share {
        private final String userId;

        private Share(String userId) {
            this.userId = userId;
        }

        /** Returns the largest single reservation: beyond it there may never be room, whatever others hold. */
        public long mostBytes() {
            return limitBytes - limitBytes / 8; // the rest is for requests themselves
        }

        /**
         * Returns the most to be reserved at once now, so that requests still find room beside it; less, or negative,
         * the more the user holds, or others do.
         */
        public long freeBytes() {
            return mostBytes() - usedBytes.get() - held.getOrDefault(userId, 0L);
        }

        /**
         * Returns the most that the user could reserve in addition to the bytes that it holds, if no other user held
         * any.
         */
        public long mostBeside(long heldBytes) {
            return MemoryBudget.this.mostBeside(heldBytes);
        }

        /** Reserves bytes; false, and nothing reserved, if the budget has not so many left for this user. */
        public boolean tryReserve(long bytes) {
            boolean[] reserved = new boolean[1];
            held.compute(userId, (id, before) -> { // atomic for this user
                long heldBytes = before == null ? 0 : before;
                reserved[0] = MemoryBudget.this.tryReserve(bytes, leastFree(bytes, heldBytes + bytes));
                return orNone(reserved[0] ? heldBytes + bytes : heldBytes);
            });
            return reserved[0];
        }

        /** Counts bytes that cannot be refused any more: so much less may be reserved. */
        public void take(long bytes) {
            MemoryBudget.this.take(bytes);
            add(bytes);
        }

        /** Releases bytes that were reserved or taken. */
        public void release(long bytes) {
            add(-bytes);
            MemoryBudget.this.release(bytes);
        }

        /** Returns whether the other one is the same part of the same budget. */
        boolean isSame(Share other) {
            return budget() == other.budget() && userId.equals(other.userId);
        }

        private MemoryBudget budget() {
            return MemoryBudget.this;
        }

        private void add(long bytes) {
            held.compute(userId, (id, before) -> orNone(before == null ? bytes : before + bytes));
        }

        private static @Nullable Long orNone(long heldBytes) {
            return heldBytes == 0 ? null : heldBytes;
        }
    }

    /** Returns the part of a user; the empty id stands for all requests without a user. */
    public Share of(String userId) {
        return new Share(userId);
    }

    /** Returns the number of users that hold memory now. */
    int holders() {
        return held.size();
    }

    /** Returns the number of bytes that must be free for a reservation after which the user holds this number. */
    private long leastFree(long bytes, long heldThen) {
        return heldThen <= floorBytes ? bytes : Math.max(parts * heldThen, bytes + keptBytes);
    }

    /** Returns the most that {@link #leastFree} leaves to a user that holds bytes, while others hold none. */
    private long mostBeside(long heldBytes) {
        long freeBytes = limitBytes - heldBytes;
        long most = Math.max(
                Math.min(floorBytes, limitBytes) - heldBytes,
                Math.min(freeBytes / parts - heldBytes, freeBytes - keptBytes));
        return whole == null ? most : Math.min(most, whole.limitBytes - whole.keptBytes - heldBytes);
    }

    /** Reserves bytes of no user; false, and nothing reserved, if the budget has not so many left. */
    public boolean tryReserve(long bytes) {
        return tryReserve(bytes, bytes + keptBytes);
    }

    /**
     * Reserves bytes. A refused reservation is never counted, not even for a moment: others would be refused for it.
     */
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

    /** Returns the number of reserved bytes. */
    public long used() {
        return usedBytes.get();
    }

    /** Returns a warning for operators while a twentieth or less is left, without the floors. */
    public Optional<String> shortage() {
        return used() > (limitBytes - keptBytes) / 20 * 19
                ? Optional.of("requests in flight have used up their memory")
                : Optional.empty();
    }

    /** Returns the bytes that can be reserved in all. */
    public long limit() {
        return limitBytes;
    }

    /**
     * Ends the budget after all work that used it.
     *
     * @throws IllegalStateException something is still reserved, so that work was forgotten or continues
     */
    @Override
    public void close() {
        long left = used();
        if (left != 0) {
            throw new IllegalStateException(left + " bytes are still reserved, of " + held.size() + " users");
        }
    }
}
