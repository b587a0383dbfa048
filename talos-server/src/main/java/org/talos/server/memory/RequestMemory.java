// SPDX-License-Identifier: Apache-2.0
package org.talos.server.memory;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What one request holds of the memory that all requests share. Everything that a client can make large is reserved
 * here before it is allocated, and given back at once when the request ends.
 *
 * <p>Thread-safe.
 */
public final class RequestMemory implements BlockOpening.Memory, AutoCloseable {
    private final MemoryBudget.Share share;
    private final AtomicLong held = new AtomicLong();

    /** Nothing is held yet of what the sender may hold. */
    public RequestMemory(MemoryBudget.Share share) {
        this.share = share;
    }

    /** What the request's sender may hold. */
    public MemoryBudget.Share share() {
        return share;
    }

    @Override
    public long mostBytes() {
        return share.mostBytes();
    }

    @Override
    public long freeBytes() {
        return share.freeBytes();
    }

    /** Memory for a part of the work that ends before the request does. */
    public RequestMemory part() {
        return new RequestMemory(share);
    }

    /** Counts bytes that are in use already, and can't be refused. */
    public void take(long bytes) {
        share.take(bytes);
        held.addAndGet(bytes);
    }

    /** Takes over bytes that are reserved already. */
    public void adopt(long bytes) {
        held.addAndGet(bytes);
    }

    /** Reserves bytes; false, and nothing reserved, if the budget has not so many. */
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
     * @throws ExhaustedException the budget has not so many
     */
    @Override
    public void reserve(long bytes) {
        if (!tryReserve(bytes)) {
            throw new ExhaustedException();
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

    /** The requests in flight hold all memory that requests may have: 503. Immutable. */
    public static final class ExhaustedException extends RuntimeException {
        ExhaustedException() {
            super("the server has no memory for this now", null, false, false); // an answer, not a bug
        }
    }
}
