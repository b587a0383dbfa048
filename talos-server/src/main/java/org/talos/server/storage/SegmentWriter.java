// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The one writer of a segment. After the first failed append every later one fails too: the segment must be recovered.
 * Only an append that is refused as BUSY took nothing and changes nothing.
 *
 * <p>Confined: append and seal belong to the worker that holds the partition's key.
 */
public interface SegmentWriter extends AutoCloseable {
    /**
     * Appends bytes behind all earlier ones. Completes when they are durable by the store's level, in the order of the
     * calls; a store that can't wait elsewhere does so here. Blocks also while too much is waiting to be written.
     *
     * <p>The buffers and what they hold belong to the store from here on and must not change; their positions do not
     * move.
     *
     * @return completes with null, or exceptionally with a {@link StorageException} (FENCED, UNAVAILABLE, BUSY).
     *     Whoever completes it must not be held up: hand long work on
     */
    CompletableFuture<Void> append(List<ByteBuffer> bytes);

    /** Bytes given to {@link #append} so far, durable or not. */
    long length();

    /**
     * Makes everything durable in the segment itself and ends writing. Blocks.
     *
     * @return final length in bytes
     */
    long seal() throws StorageException;

    /** Lets go of the segment without sealing it. May be called twice. */
    @Override
    void close();
}
