// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.talos.common.error.Effect;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * The memory for bytes that are not in their segments yet: bounds it, in total and for each segment, and decides who
 * gets released memory.
 *
 * <p>A segment may hold as much as is still free: one alone holds half of the memory, two that cannot be written a
 * third each. So there is room for others, however many segments cannot be written.
 *
 * <p>Thread-safe. Futures complete only in {@link #answer} and {@link #close}, without any lock.
 */
final class UnwrittenMemory {
    private final long maxBytes;
    private final long maxWaitNanos;

    @GuardedBy("this")
    private final Deque<Waiter> waiters = new ArrayDeque<>();

    @GuardedBy("this")
    private final List<CompletableFuture<Void>> granted = new ArrayList<>();

    @GuardedBy("this")
    private long used;

    @GuardedBy("this")
    private boolean closed;

    /** An append that waits. */
    private record Waiter(JournaledSegment segment, long bytes, long sinceNanos, CompletableFuture<Void> reserved) {}

    UnwrittenMemory(long maxBytes, long maxWaitNanos) {
        this.maxBytes = maxBytes;
        this.maxWaitNanos = maxWaitNanos;
    }

    synchronized long used() {
        return used;
    }

    /** Reserves memory at once, or not at all. */
    synchronized boolean tryReserve(JournaledSegment segment, long bytes) {
        if (!fits(segment, bytes)) {
            return false;
        }
        used += bytes;
        return true;
    }

    /**
     * Reserves memory for a segment as soon as there is some. In the order of the calls, except for segments that find
     * none when others do.
     *
     * @return fails with a StorageException, BUSY after the longest wait, or as appends to the segment do
     */
    synchronized CompletableFuture<Void> reserve(JournaledSegment segment, long bytes, long nowNanos) {
        CompletableFuture<Void> reserved = new CompletableFuture<>();
        if (closed) {
            reserved.completeExceptionally(busy());
        } else {
            waiters.addLast(new Waiter(segment, bytes, nowNanos, reserved));
            grant();
        }
        return reserved;
    }

    /** Releases memory; returns true if appends must be answered. */
    synchronized boolean release(long bytes) {
        used -= bytes;
        grant();
        return !granted.isEmpty();
    }

    @GuardedBy("this")
    private void grant() {
        for (Iterator<Waiter> each = waiters.iterator(); each.hasNext(); ) {
            Waiter waiter = each.next();
            if (fits(waiter.segment, waiter.bytes)) {
                used += waiter.bytes;
                granted.add(waiter.reserved);
                each.remove();
            }
        }
    }

    @GuardedBy("this")
    private boolean fits(JournaledSegment segment, long bytes) {
        if (used == 0) {
            return true; // larger than everything: alone
        }
        long held = segment.unwrittenBytes();
        return used + bytes <= maxBytes && (held == 0 || held + bytes <= maxBytes - used);
    }

    synchronized boolean hasWaiters() {
        return !waiters.isEmpty() || !granted.isEmpty();
    }

    /** Completes granted waits, and fails those that have waited too long or whose segment accepts nothing more. */
    void answer(long nowNanos) {
        List<CompletableFuture<Void>> done;
        List<Runnable> failed = new ArrayList<>();
        synchronized (this) {
            done = List.copyOf(granted);
            granted.clear();
            for (Iterator<Waiter> each = waiters.iterator(); each.hasNext(); ) {
                Waiter waiter = each.next();
                StorageException refusal = waiter.segment.failure();
                boolean late = nowNanos - waiter.sinceNanos >= maxWaitNanos;
                if (refusal != null || late) {
                    each.remove();
                    StorageException reason = refusal == null ? busy() : refusal;
                    failed.add(() -> waiter.reserved.completeExceptionally(reason));
                }
            }
        }
        done.forEach(each -> each.complete(null));
        failed.forEach(Runnable::run);
    }

    /** Fails all that wait, now and later. */
    void close() {
        List<Waiter> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(waiters);
            waiters.clear();
        }
        answer(0);
        left.forEach(each -> each.reserved.completeExceptionally(busy()));
    }

    private static StorageException busy() {
        return new StorageException(Reason.BUSY, Effect.NONE, "segments cannot be written as fast as puts come", null);
    }
}
