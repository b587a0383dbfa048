// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The only writer of a segment. After the first failed append every later one fails too: the segment must be recovered.
 * Only an append that is refused as BUSY took nothing and changes nothing.
 *
 * <p>Confined: one append at a time; seal and close after the last one, from any thread.
 */
public interface SegmentWriter extends AutoCloseable {
    /**
     * Reserves memory for the next append: at once if there is some, so that the future is done, otherwise as soon as
     * there is. Memory that the append does not need is released; without an append call {@link #giveBack}. One
     * reservation at a time. Never blocks.
     *
     * @return completes with null, or exceptionally with a {@link StorageException} without effect (BUSY: there was
     *     none in time; UNAVAILABLE, FENCED). Dependents must not block
     */
    default CompletableFuture<Void> reserve(long bytes) {
        return CompletableFuture.completedFuture(null);
    }

    /** Releases the memory that was reserved for an append that will not come. Thread-safe. */
    default void giveBack() {}

    /**
     * Appends bytes behind all earlier ones. Completes when they are durable by the store's level, in the order of the
     * calls; a store that cannot wait elsewhere waits here. Does not wait for memory: without a reservation, and while
     * too much waits to be written, the append is refused as BUSY.
     *
     * <p>The buffers and their contents belong to the store from here on and must not change; their positions do not
     * move.
     *
     * @return completes with null, or exceptionally with a {@link StorageException} (FENCED, UNAVAILABLE, BUSY).
     *     Dependents must not block: they would delay other segments
     */
    CompletableFuture<Void> append(List<ByteBuffer> bytes);

    /**
     * Like {@link #append}, in two steps: takes the bytes in the order of the calls. The caller must call
     * {@link #writeQueued} soon afterwards, without holding a lock.
     */
    default CompletableFuture<Void> queue(List<ByteBuffer> bytes) {
        return append(bytes);
    }

    /**
     * Gets the queued bytes of all logs written: by the caller, if writing takes microseconds and no other thread
     * writes. Futures of any log may complete on the caller's thread. Thread-safe.
     */
    default void writeQueued() {}

    /**
     * Returns whether all acknowledged bytes survive a power failure, wherever it happens; if not see {@link #sync}.
     */
    default boolean outlivesPowerFailure() {
        return true;
    }

    /** Moves all acknowledged bytes to where a power failure does not reach them. Blocks; may be repeated. */
    default void sync() throws StorageException {}

    /** Returns the number of bytes given to {@link #append} so far, durable or not. */
    long length();

    /**
     * Makes everything durable in the segment itself and ends writing. Blocks.
     *
     * @return final length in bytes
     */
    long seal() throws StorageException;

    /** Ends writing without sealing the segment. May be called twice. */
    @Override
    void close();
}
