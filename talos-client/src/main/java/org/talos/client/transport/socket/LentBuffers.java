// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport.socket;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Lends buffers outside of the heap to the connections of a client, each while bytes go through it. Connections that
 * wait for an answer have none, so the memory does not grow with their number.
 *
 * <p>Always true: there are 16 buffers of 128 KiB at most, and no more than there was memory for. While all are lent,
 * the others get small ones of the heap.
 *
 * <p>Thread-safe.
 */
public final class LentBuffers {
    private static final int BYTES = 128 << 10;
    private static final int MOST = 16;
    /** Of the heap: the JDK copies as much to memory outside of it that it keeps for each thread. */
    private static final int SMALL_BYTES = 8 << 10;

    private final IntFunction<ByteBuffer> allocate;

    @GuardedBy("this")
    private final Deque<ByteBuffer> idle = new ArrayDeque<>();

    @GuardedBy("this")
    private int made;

    @GuardedBy("this")
    private int most = MOST;

    /** Buffers that are made when they are first needed. */
    public LentBuffers() {
        this(ByteBuffer::allocateDirect);
    }

    /** @param allocate makes a buffer of so many bytes */
    public LentBuffers(IntFunction<ByteBuffer> allocate) {
        this.allocate = allocate;
    }

    /** Lends an empty buffer, until {@link #giveBack}. Never waits for another one. */
    public ByteBuffer lend() {
        ByteBuffer kept;
        boolean mayMake;
        synchronized (this) {
            kept = idle.pollFirst();
            mayMake = kept == null && made < most;
            made += mayMake ? 1 : 0;
        }
        ByteBuffer large = mayMake ? make() : kept;
        return large == null ? ByteBuffer.allocate(SMALL_BYTES) : large.clear();
    }

    /** Without the lock: where memory is short, this collects garbage first, and waits. */
    private @Nullable ByteBuffer make() {
        try {
            return allocate.apply(BYTES);
        } catch (OutOfMemoryError e) {
            int left = settle();
            LoggerFactory.getLogger(LentBuffers.class)
                    .warn(
                            "no memory outside of the heap for another buffer, calls may take longer buffers={}",
                            left,
                            e);
            return null;
        }
    }

    /** Asks for no more memory from now on: each time would take half a second. */
    private synchronized int settle() {
        made--;
        most = made;
        return made;
    }

    /** Takes a buffer back, which nobody uses from now on. */
    public void giveBack(ByteBuffer buffer) {
        if (buffer.capacity() == BYTES) {
            keep(buffer);
        }
    }

    private synchronized void keep(ByteBuffer buffer) {
        idle.addFirst(buffer);
    }
}
