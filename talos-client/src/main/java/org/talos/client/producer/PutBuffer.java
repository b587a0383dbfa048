// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
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

    @GuardedBy("lock")
    private final Deque<Waiter> waiting = new ArrayDeque<>();

    @GuardedBy("lock")
    private long messages;

    @GuardedBy("lock")
    private long bytes;

    @GuardedBy("lock")
    private boolean closed;

    /**
     * A thread that waits for room, on a condition of its own, so that released room wakes one thread, not all.
     * Immutable.
     */
    private record Waiter(Condition turn, int count, long size) {}

    PutBuffer(int maxMessages, long maxBytes, Lock lock) {
        this.maxMessages = maxMessages;
        this.maxBytes = maxBytes;
        this.lock = lock;
    }

    /**
     * Reserves room for messages, and waits for it; returns false if there is none in time, or the buffer is closed.
     * Takes free room even if other threads wait: a callback that sends may take the room of its own message.
     */
    boolean acquire(int count, long size, Duration most) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (!hasRoom(count, size) && !awaitRoom(count, size, most.toNanos())) {
                return false;
            }
            messages += count;
            bytes += size;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Messages larger than the whole buffer are accepted when the buffer is empty. */
    @GuardedBy("lock")
    private boolean hasRoom(int count, long size) {
        return messages == 0 || (messages + count <= maxMessages && bytes + size <= maxBytes);
    }

    @GuardedBy("lock")
    private boolean awaitRoom(int count, long size, long nanos) throws InterruptedException {
        Waiter waiter = new Waiter(lock.newCondition(), count, size);
        waiting.addLast(waiter);
        long left = nanos;
        try {
            while (!hasRoom(count, size)) {
                if (left <= 0 || closed) {
                    return false;
                }
                left = waiter.turn.awaitNanos(left);
            }
            return true;
        } finally {
            waiting.remove(waiter);
            wakeOne();
        }
    }

    /** Wakes the first thread for which there is room, which then wakes the next one. */
    @GuardedBy("lock")
    private void wakeOne() {
        for (Waiter each : waiting) {
            if (hasRoom(each.count, each.size)) {
                each.turn.signal();
                return;
            }
        }
    }

    /**
     * Takes room for bytes that exist already, even if there is none: senders then wait longer. Release it with
     * {@link #release}.
     */
    void hold(long size) {
        lock.lock();
        try {
            bytes += size;
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
            wakeOne();
        } finally {
            lock.unlock();
        }
    }

    /** Ends all waits for room. */
    void close() {
        lock.lock();
        try {
            closed = true;
            waiting.forEach(each -> each.turn.signal());
        } finally {
            lock.unlock();
        }
    }

    /** Returns the bytes of room that are taken. */
    long bytes() {
        lock.lock();
        try {
            return bytes;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of messages that hold room. */
    long messages() {
        lock.lock();
        try {
            return messages;
        } finally {
            lock.unlock();
        }
    }
}
