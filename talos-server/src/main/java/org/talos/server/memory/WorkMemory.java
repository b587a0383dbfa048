// SPDX-License-Identifier: Apache-2.0
package org.talos.server.memory;

import org.talos.common.error.TalosException;
import org.talos.thrift.ErrorCode;

/**
 * The part of a user's memory that one piece of work in a pool holds, until it is closed.
 *
 * <p>Thread-safe.
 */
public final class WorkMemory implements BlockOpening.Memory, AutoCloseable {
    private final Holding holding;

    /** Creates memory that holds nothing yet of the share. */
    public WorkMemory(MemoryBudget.Share share) {
        holding = new Holding(share);
    }

    @Override
    public long mostBytes() {
        return holding.share().mostBytes();
    }

    @Override
    public long freeBytes() {
        return holding.share().freeBytes();
    }

    /** Returns memory for a part of the work that ends before it does. The caller closes it. */
    public WorkMemory part() {
        return new WorkMemory(holding.share());
    }

    /** Counts bytes that are in use already, and cannot be refused. */
    public void take(long bytes) {
        holding.take(bytes);
    }

    /** Reserves bytes. Returns false, and reserves nothing, if the budget has not so many left for the user. */
    public boolean tryReserve(long bytes) {
        return holding.tryReserve(bytes);
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
        holding.release(bytes);
    }

    /** Releases everything. May be called again. */
    @Override
    public void close() {
        holding.close();
    }
}
