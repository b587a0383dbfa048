// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The one writer of a segment. After the first failed append every later one fails too: the segment must be recovered.
 * Only an append that is refused as BUSY took nothing and changes nothing.
 *
 * <p>Confined: one append at a time; seal and close after the last one, from any thread.
 */
public interface SegmentWriter extends AutoCloseable {
    /**
     * Reserves memory for the next append: at once if there is some, so that the future is done; else when there is.
     * Memory that the append does not need is returned; without an append call {@link #giveBack}. One reservation at a
     * time. Never blocks.
     *
     * @return completes with null, or exceptionally with a {@link StorageException} without effect (BUSY: there was
     *     none in time; UNAVAILABLE, FENCED). What runs on completion must not block
     */
    default CompletableFuture<Void> reserve(long bytes) {
        return CompletableFuture.completedFuture(null);
    }

    /** Releases the memory that was reserved for an append that will not come. Thread-safe. */
    default void giveBack() {}

    /**
     * Appends bytes behind all earlier ones. Completes when they are durable by the store's level, in the order of the
     * calls; a store that cannot wait elsewhere does so here. Does not wait for memory: where none was reserved and too
     * much is waiting to be written, the append is refused as BUSY.
     *
     * <p>The buffers and their contents belong to the store from here on and must not change; their positions do not
     * move.
     *
     * @return completes with null, or exceptionally with a {@link StorageException} (FENCED, UNAVAILABLE, BUSY). What
     *     runs on completion must not block: it holds up other segments
     */
    CompletableFuture<Void> append(List<ByteBuffer> bytes);

    /**
     * Like {@link #append}, in two steps: takes the bytes in the order of the calls, and leaves to the caller to call
     * {@link #writeQueued} soon after, when it holds no lock any more.
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
     * Returns whether all that is acknowledged outlives a power failure, wherever else it strikes; if not see
     * {@link #sync}.
     */
    default boolean outlivesPowerFailure() {
        return true;
    }

    /** Brings all that is acknowledged to where a power failure does not reach it. Blocks; may be repeated. */
    default void sync() throws StorageException {}

    /** Bytes given to {@link #append} so far, durable or not. */
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
