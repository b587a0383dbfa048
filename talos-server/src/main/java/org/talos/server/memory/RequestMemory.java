// SPDX-License-Identifier: Apache-2.0
package org.talos.server.memory;

import java.util.concurrent.atomic.AtomicLong;
import org.talos.common.error.TalosException;
import org.talos.thrift.ErrorCode;

/**
 * The part of the shared request memory that one request, or one piece of work in a pool, holds. Everything that a
 * client can make large is reserved here before it is allocated, and released at once when the request or the work
 * ends.
 *
 * <p>Thread-safe.
 */
public final class RequestMemory implements BlockOpening.Memory, AutoCloseable {
    private final Holding holding;
    private final Refusal refusal;
    private final AtomicLong expectedBytes = new AtomicLong(); // held for an answer that is not built yet

    /** Creates memory of a request, which has reserved nothing yet. */
    public RequestMemory(MemoryBudget.Share share) {
        this(share, ExhaustedException::new);
    }

    private RequestMemory(MemoryBudget.Share share, Refusal refusal) {
        holding = new Holding(share);
        this.refusal = refusal;
    }

    /**
     * Creates memory of work in a pool. Its failures reach clients of every front end and other servers, so
     * {@link #reserve} throws the protocol's exception.
     */
    public static RequestMemory ofWork(MemoryBudget.Share share) {
        return new RequestMemory(share, isHopeless -> noMemoryForWork());
    }

    private static TalosException noMemoryForWork() {
        return TalosException.refused(
                ErrorCode.EXCESSIVE_PENDING_MESSAGE, "the server has no memory for reading messages now");
    }

    /** Returns the share of the request's sender. */
    public MemoryBudget.Share share() {
        return holding.share();
    }

    @Override
    public long mostBytes() {
        return share().mostBytes();
    }

    @Override
    public long freeBytes() {
        return share().freeBytes();
    }

    /** Returns the number of bytes that are held now. */
    public long heldBytes() {
        return holding.heldBytes();
    }

    /** Returns memory for a part that ends before the whole does, of the same kind. The caller closes it. */
    public RequestMemory part() {
        return new RequestMemory(share(), refusal);
    }

    /** Counts bytes that are in use already, and cannot be refused. */
    public void take(long bytes) {
        holding.take(bytes);
    }

    /** Takes over bytes that are reserved already. */
    public void adopt(long bytes) {
        holding.adopt(bytes);
    }

    /** Moves some of the bytes to other memory of the same sender; they stay reserved all the time. */
    public void moveTo(RequestMemory other, long bytes) {
        holding.moveTo(other.holding, bytes);
    }

    /**
     * Gives bytes to other memory of the same sender, as {@link #moveTo} does.
     *
     * @param most gives all that is held if that is less
     * @return the number of bytes given
     */
    public long moveUpTo(RequestMemory other, long most) {
        return holding.moveUpTo(other.holding, most);
    }

    /** Reserves bytes. Returns false, and reserves nothing, if the budget has not so many. */
    public boolean tryReserve(long bytes) {
        return holding.tryReserve(bytes);
    }

    /**
     * Reserves bytes.
     *
     * @throws ExhaustedException the budget has not so many, and this is the memory of a request
     * @throws TalosException EXCESSIVE_PENDING_MESSAGE: likewise, and this is the memory of work in a pool
     */
    @Override
    public void reserve(long bytes) {
        if (!tryReserve(bytes)) {
            throw refusal.exception(bytes > mostBytes());
        }
    }

    /**
     * Returns whether these further bytes never fit into an answer, even if no other request holds any: memory that a
     * user holds counts twice.
     */
    public boolean neverFitsAnswer(long bytes) {
        return 2 * expectedBytes.get() + bytes > mostBytes();
    }

    /**
     * Reserves bytes for an answer before it is built. Returns false, and reserves nothing, if there are not so many.
     */
    public boolean tryReserveAnswer(long bytes) {
        boolean reserved = tryReserve(bytes);
        if (reserved) {
            expectedBytes.addAndGet(bytes);
        }
        return reserved;
    }

    /**
     * Counts an answer that is built in place of its reservation.
     *
     * @param length bytes of the answer, without those that each request counts with
     * @return false if the answer is longer than that, and there is no memory for the rest
     */
    public boolean trySettleAnswer(long length) {
        long expected = expectedBytes.getAndSet(0);
        if (length > expected) {
            return tryReserve(length - expected);
        }
        release(expected - length);
        return true;
    }

    @Override
    public void release(long bytes) {
        holding.release(bytes);
    }

    /** Releases all memory of the ended work. More may be reserved for the next. */
    public void releaseAll() {
        expectedBytes.set(0);
        holding.releaseAll();
    }

    /** Releases everything. After that, nothing can be reserved. May be called again. */
    @Override
    public void close() {
        holding.close();
    }

    /** The exception for bytes that could not be reserved. */
    @FunctionalInterface
    private interface Refusal {
        RuntimeException exception(boolean isHopeless);
    }

    /** The requests in flight hold all memory that requests may have. Immutable. */
    public static final class ExhaustedException extends RuntimeException {
        private final boolean isHopeless;

        ExhaustedException(boolean isHopeless) {
            super("the server has no memory for this now", null, false, false); // an answer, not a bug
            this.isHopeless = isHopeless;
        }

        /** Returns whether the server never has so much memory for one request, however little others hold. */
        public boolean isHopeless() {
            return isHopeless;
        }
    }
}
