// SPDX-License-Identifier: Apache-2.0
package org.talos.server.memory;

import java.util.concurrent.atomic.AtomicLong;
import org.talos.common.error.TalosException;
import org.talos.thrift.ErrorCode;

/**
 * What one piece of work in a pool holds of what a user may hold, until it is closed.
 *
 * <p>Thread-safe.
 */
public final class WorkMemory implements BlockOpening.Memory, AutoCloseable {
    private final MemoryBudget.Share share;
    private final AtomicLong held = new AtomicLong();

    /** Nothing is held yet of the share. */
    public WorkMemory(MemoryBudget.Share share) {
        this.share = share;
    }

    @Override
    public long mostBytes() {
        return share.mostBytes();
    }

    @Override
    public long freeBytes() {
        return share.freeBytes();
    }

    /** Memory for a part of the work that ends before it does. */
    public WorkMemory part() {
        return new WorkMemory(share);
    }

    /** Reserves bytes; false, and nothing reserved, if the budget has not so many left for the user. */
    public boolean tryReserve(long bytes) {
        if (!share.tryReserve(bytes)) {
            return false;
        }
        held.addAndGet(bytes);
        return true;
    }

    /**
     * Reserves bytes.
     *
     * @throws TalosException EXCESSIVE_PENDING_MESSAGE: the budget has not so many left for the user
     */
    @Override
    public void reserve(long bytes) {
        if (!tryReserve(bytes)) {
            throw TalosException.refused(
                    ErrorCode.EXCESSIVE_PENDING_MESSAGE, "the server has no memory for reading messages now");
        }
    }

    @Override
    public void release(long bytes) {
        held.addAndGet(-bytes);
        share.release(bytes);
    }

    /** Gives everything back; may be called again. */
    @Override
    public void close() {
        long bytes = held.getAndSet(0);
        if (bytes > 0) {
            share.release(bytes);
        }
    }
}
