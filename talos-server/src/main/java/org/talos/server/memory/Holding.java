// SPDX-License-Identifier: Apache-2.0
package org.talos.server.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * The bytes that one request or one piece of work holds of a share, from the first reservation to {@link #close}. After
 * that it holds nothing, whatever ends late: a reservation fails, and a release does nothing.
 *
 * <p>Thread-safe.
 */
final class Holding implements AutoCloseable {
    private final MemoryBudget.Share share;

    @GuardedBy("this")
    private long heldBytes;

    @GuardedBy("this")
    private boolean closed;

    Holding(MemoryBudget.Share share) {
        this.share = share;
    }

    MemoryBudget.Share share() {
        return share;
    }

    /** Returns the number of bytes that are held now. */
    synchronized long heldBytes() {
        return heldBytes;
    }

    /** Reserves bytes. Returns false, and reserves nothing, if the share has not so many or this is closed. */
    synchronized boolean tryReserve(long bytes) {
        if (closed || !share.tryReserve(bytes)) {
            return false;
        }
        heldBytes += bytes;
        return true;
    }

    /** Counts bytes that are in use already and cannot be refused. Does nothing once this is closed. */
    synchronized void take(long bytes) {
        if (!closed) {
            share.take(bytes);
            heldBytes += bytes;
        }
    }

    /** Takes over bytes that are reserved already. Releases them at once if this is closed. */
    synchronized void adopt(long bytes) {
        if (closed) {
            share.release(bytes);
        } else {
            heldBytes += bytes;
        }
    }

    /** Releases some of the bytes. Does nothing once this is closed, which has released all. */
    synchronized void release(long bytes) {
        if (closed) {
            return;
        }
        if (bytes > heldBytes) {
            throw new IllegalStateException("released more than is held: " + bytes + " of " + heldBytes);
        }
        heldBytes -= bytes;
        share.release(bytes);
    }

    /** Gives some of the bytes to another holding of the same share. */
    void moveTo(Holding other, long bytes) {
        requireSameShare(other);
        synchronized (this) {
            if (closed) {
                return;
            }
            heldBytes -= bytes;
        }
        other.adopt(bytes);
    }

    /**
     * Gives bytes to another holding of the same share.
     *
     * @param most gives all that is held if that is less
     * @return the number of bytes given
     */
    long moveUpTo(Holding other, long most) {
        requireSameShare(other);
        long moved;
        synchronized (this) {
            moved = Math.min(heldBytes, most);
            heldBytes -= moved;
        }
        other.adopt(moved);
        return moved;
    }

    private void requireSameShare(Holding other) {
        if (!other.share.isSame(share)) {
            throw new IllegalArgumentException("memory of one sender moved to another");
        }
    }

    /** Releases everything. May be called again. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            share.release(heldBytes);
            heldBytes = 0;
        }
    }

    /** Releases everything, and may be used again. */
    synchronized void releaseAll() {
        share.release(heldBytes);
        heldBytes = 0;
    }
}
