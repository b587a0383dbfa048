// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime;

import java.util.concurrent.atomic.AtomicLong;

/** Accounts for memory that clients make the server use: what does not fit is refused. Thread-safe. */
public final class MemoryBudget {
    private final long limitBytes;
    private final AtomicLong usedBytes = new AtomicLong();

    /** A budget of so many bytes. */
    public MemoryBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Reserves bytes; false, and nothing reserved, if the budget has not so many left. */
    public boolean tryReserve(long bytes) {
        if (usedBytes.addAndGet(bytes) <= limitBytes) {
            return true;
        }
        usedBytes.addAndGet(-bytes);
        return false;
    }

    /** Releases bytes that were reserved. */
    public void release(long bytes) {
        long left = usedBytes.addAndGet(-bytes);
        if (left < 0) {
            throw new IllegalStateException("released more than was reserved: " + left);
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
