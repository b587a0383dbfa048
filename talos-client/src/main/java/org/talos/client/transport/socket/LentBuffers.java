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
 * Lends buffers outside of the heap to the connections of a client, each while bytes go through it, and arrays for
 * records of TLS. Connections that wait for an answer have none, so the memory does not grow with their number.
 *
 * <p>Invariant: there are 16 buffers outside of the heap at most, and no more than there was memory for. While all are
 * lent, the others get small ones of the heap. As many arrays are lent as are asked for, and 16 of them kept.
 *
 * <p>Thread-safe.
 */
public final class LentBuffers {
    /** Room for a record of TLS: the JDK takes up to 16 KiB more than the protocol allows. */
    static final int RECORD_BYTES = 34 << 10;

    private static final int BYTES = 128 << 10;
    private static final int MOST = 16;
    /** The heap bytes per write: the JDK copies as much to memory outside of it that it keeps for each thread. */
    private static final int SMALL_BYTES = 8 << 10;

    private final int bytes;
    private final IntFunction<ByteBuffer> allocate;

    @GuardedBy("this")
    private final Deque<ByteBuffer> idle = new ArrayDeque<>();

    @GuardedBy("this")
    private final Deque<ByteBuffer> idleRecords = new ArrayDeque<>();

    @GuardedBy("this")
    private int made;

    @GuardedBy("this")
    private int most = MOST;

    /** Buffers that are made when they are first needed. */
    public LentBuffers() {
        this(ByteBuffer::allocateDirect);
    }

    /** @param allocate makes a buffer of this number of bytes */
    public LentBuffers(IntFunction<ByteBuffer> allocate) {
        this(BYTES, allocate);
    }

    /** Buffers of another size than 128 KiB. */
    LentBuffers(int bytes, IntFunction<ByteBuffer> allocate) {
        this.bytes = bytes;
        this.allocate = allocate;
    }

    /** Lends an empty buffer, until {@link #giveBack}. Never waits for another one. */
    public ByteBuffer lend() {
        return lend(SMALL_BYTES);
    }

    /** Lends an empty buffer with room for at least this number of bytes, 128 KiB at most. */
    ByteBuffer lend(int least) {
        ByteBuffer kept;
        boolean mayMake;
        synchronized (this) {
            kept = idle.pollFirst();
            mayMake = kept == null && made < most;
            made += mayMake ? 1 : 0;
        }
        ByteBuffer large = mayMake ? make() : kept;
        return large == null ? ByteBuffer.allocate(least) : large.clear();
    }

    /** Allocates without the lock: where memory is short, this collects garbage first, and waits. */
    private @Nullable ByteBuffer make() {
        try {
            return allocate.apply(bytes);
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

    /** Returns the number of bytes of a lent buffer to pass to the system, or to request from it, at once. */
    int atOnce(ByteBuffer lent) {
        return lent.capacity() == bytes ? bytes : SMALL_BYTES;
    }

    /** Lends an empty buffer of the heap with room for a record of TLS, until {@link #giveBack}. */
    ByteBuffer lendRecord() {
        ByteBuffer kept;
        synchronized (this) {
            kept = idleRecords.pollFirst();
        }
        return kept == null ? ByteBuffer.allocate(RECORD_BYTES) : kept.clear();
    }

    /** Takes a buffer back, which is not used any more. */
    public synchronized void giveBack(ByteBuffer buffer) {
        if (buffer.capacity() == bytes) {
            idle.addFirst(buffer);
        } else if (buffer.capacity() == RECORD_BYTES && idleRecords.size() < MOST) {
            idleRecords.addFirst(buffer);
        }
    }
}
