// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * Bounds the messages that have been accepted and have not yet completed, in number and in bytes.
 *
 * <p>Thread-safe.
 */
final class PutBuffer {
    private final int maxMessages;
    private final long maxBytes;
    private final Lock lock;
    private final Condition freed;

    @GuardedBy("lock")
    private long messages;

    @GuardedBy("lock")
    private long bytes;

    @GuardedBy("lock")
    private boolean closed;

    PutBuffer(int maxMessages, long maxBytes, Lock lock) {
        this.maxMessages = maxMessages;
        this.maxBytes = maxBytes;
        this.lock = lock;
        freed = lock.newCondition();
    }

    /** Reserves room for a message, waiting for it; false if there is none in time, or the buffer is closed. */
    boolean acquire(long size, Duration most) throws InterruptedException {
        long left = most.toNanos();
        lock.lockInterruptibly();
        try {
            // A message larger than the whole buffer is accepted when the buffer is empty.
            while (messages > 0 && (messages >= maxMessages || bytes + size > maxBytes)) {
                if (left <= 0 || closed) {
                    return false;
                }
                left = freed.awaitNanos(left);
            }
            messages++;
            bytes += size;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Frees the room of messages that have completed. */
    void release(int count, long size) {
        lock.lock();
        try {
            messages -= count;
            bytes -= size;
            freed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends all waits for room. */
    void close() {
        lock.lock();
        try {
            closed = true;
            freed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Number of messages that hold room. */
    long messages() {
        lock.lock();
        try {
            return messages;
        } finally {
            lock.unlock();
        }
    }
}
