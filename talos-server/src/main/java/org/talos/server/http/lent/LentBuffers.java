// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.lent;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.memory.DirectMemory;

/**
 * A pool of buffers outside the heap from which answers and streams are written. Without them, the JDK would copy heap
 * buffers into native memory of its own.
 *
 * <p>Buffers may never return ({@link LentBuffer}). The pool counts all direct buffers, including those that wait for
 * garbage collection. At the bound, it hands out small heap buffers instead. Clients that cause many failed writes cost
 * time, but no memory beyond the bound.
 *
 * <p>Thread-safe.
 */
public final class LentBuffers {
    /** The largest buffer: a write costs a turn of Jetty's, a call of the system, and often a wake-up there. */
    public static final int LARGEST_BYTES = 256 << 10;

    private static final int SMALLEST_BYTES = 4 << 10;
    /** The most bytes of a buffer in the heap. */
    private static final int SCARCE_BYTES = 16 << 10;

    private static final int SIZES = sizeFor(LARGEST_BYTES) + 1;
    private static final int BYTES_OF_ALL_SIZES = 2 * LARGEST_BYTES - SMALLEST_BYTES;
    private static final int MOST_IDLE = 256; // of a size: a search may look at all of them
    private static final int SHARE_OF_DIRECT_MEMORY = 8;

    private static final Logger LOG = LoggerFactory.getLogger(LentBuffers.class);

    private final long bound;
    private final long mostDirect;
    private final LongSupplier usedDirect;
    private final IntFunction<ByteBuffer> allocator;
    private final IdleBuffers[] idle = new IdleBuffers[SIZES];
    private final AtomicLong existing = new AtomicLong(); // bytes outside the heap
    private final ReferenceQueue<ByteBuffer> collected = new ReferenceQueue<>();
    private final Set<Reference<ByteBuffer>> references = ConcurrentHashMap.newKeySet();

    /**
     * A pool without a buffer yet.
     *
     * @param bound on the bytes outside the heap; half of it may be kept while unused
     */
    public LentBuffers(long bound) {
        this(bound, Long.MAX_VALUE, () -> 0, ByteBuffer::allocateDirect);
    }

    /**
     * A pool without a buffer yet.
     *
     * @param mostDirect bytes of direct memory in the whole JVM
     * @param usedDirect bytes of direct memory that the JVM uses now
     * @param allocator of direct memory
     */
    LentBuffers(long bound, long mostDirect, LongSupplier usedDirect, IntFunction<ByteBuffer> allocator) {
        this.bound = bound;
        this.mostDirect = mostDirect;
        this.usedDirect = usedDirect;
        this.allocator = allocator;
        int each = (int) Math.max(1, Math.min(MOST_IDLE, bound / 2 / BYTES_OF_ALL_SIZES));
        for (int size = 0; size < SIZES; size++) {
            idle[size] = new IdleBuffers(each);
        }
    }

    /**
     * Returns a pool that takes an eighth of the memory that the JVM allows outside the heap, as far as others leave
     * it. Connections leave a quarter ({@link org.talos.server.memory.ConnectionMemory}).
     *
     * @param mostBytes of direct memory in the whole JVM
     */
    public static LentBuffers ofDirectMemory(long mostBytes) {
        return new LentBuffers(
                mostBytes / SHARE_OF_DIRECT_MEMORY, mostBytes, DirectMemory.used(), ByteBuffer::allocateDirect);
    }

    /**
     * Returns a buffer of at least the given number of bytes, or a smaller one if {@link #LARGEST_BYTES} or memory end.
     */
    public LentBuffer take(int bytes) {
        int size = sizeFor(Math.min(bytes, LARGEST_BYTES));
        ByteBuffer buffer = idle[size].take();
        return new LentBuffer(this, buffer == null ? allocate(SMALLEST_BYTES << size) : buffer);
    }

    private static int sizeFor(int bytes) {
        return Integer.SIZE - Integer.numberOfLeadingZeros((Math.max(bytes, SMALLEST_BYTES) - 1) / SMALLEST_BYTES);
    }

    private ByteBuffer allocate(int bytes) {
        forgetCollected();
        ByteBuffer direct = allocateDirect(bytes);
        return direct == null ? ByteBuffer.allocate(Math.min(bytes, SCARCE_BYTES)) : direct;
    }

    /**
     * Returns null at a bound. The JVM's own bound comes last: at that, the JVM has the thread wait for the collector.
     */
    private @Nullable ByteBuffer allocateDirect(int bytes) {
        if (existing.addAndGet(bytes) <= bound && usedDirect.getAsLong() <= mostDirect - bytes) {
            try {
                ByteBuffer buffer = allocator.apply(bytes);
                references.add(new Existing(buffer, collected));
                return buffer;
            } catch (OutOfMemoryError e) { // others have used the rest since the check
                LOG.debug("no direct memory left, writing from the heap", e);
            }
        }
        existing.addAndGet(-bytes);
        return null;
    }

    private void forgetCollected() {
        for (Reference<? extends ByteBuffer> each = collected.poll(); each != null; each = collected.poll()) {
            references.remove(each);
            existing.addAndGet(-((Existing) each).bytes);
        }
    }

    /** Returns the number of bytes outside the heap: idle, in use, and waiting for the collector. */
    public long existingBytes() {
        forgetCollected();
        return existing.get();
    }

    void putBack(ByteBuffer buffer) {
        if (buffer.isDirect()) {
            idle[sizeFor(buffer.capacity())].add(buffer);
        }
    }

    /** The trace of a buffer outside the heap until the buffer has been collected. Immutable. */
    private static final class Existing extends PhantomReference<ByteBuffer> {
        private final int bytes;

        Existing(ByteBuffer buffer, ReferenceQueue<ByteBuffer> collected) {
            super(buffer, collected);
            bytes = buffer.capacity();
        }
    }

    /**
     * The idle buffers of one size. Each thread begins its search at a place of its own, so that threads seldom meet. A
     * buffer that finds no free place is left to the collector. Thread-safe.
     */
    private static final class IdleBuffers {
        private final AtomicReferenceArray<@Nullable ByteBuffer> places;

        IdleBuffers(int places) {
            this.places = new AtomicReferenceArray<>(places);
        }

        @Nullable
        ByteBuffer take() {
            int first = first();
            for (int i = 0; i < places.length(); i++) {
                int place = (first + i) % places.length();
                ByteBuffer found = places.getPlain(place) == null ? null : places.getAndSet(place, null);
                if (found != null) {
                    return found;
                }
            }
            return null;
        }

        void add(ByteBuffer buffer) {
            int first = first();
            for (int i = 0; i < places.length(); i++) {
                int place = (first + i) % places.length();
                if (places.getPlain(place) == null && places.compareAndSet(place, null, buffer)) {
                    return;
                }
            }
        }

        private int first() {
            return (int) (Thread.currentThread().getId() % places.length());
        }
    }
}
