// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Memory outside of the heap for bytes on their way into files, lent and returned. There are as many pieces as threads
 * have ever written at once.
 *
 * <p>Thread-safe.
 */
final class Staging {
    static final int BYTES = 1 << 20;
    /** The unit of direct transfers to and from disks; larger than that of today's disks. */
    static final int BLOCK_BYTES = 4 << 10;

    private static final Logger LOG = LoggerFactory.getLogger(Staging.class);

    private final AtomicBoolean indirectSaid = new AtomicBoolean();
    private final ConcurrentLinkedDeque<ByteBuffer> free = new ConcurrentLinkedDeque<>();

    /** Begins at a block's boundary. */
    ByteBuffer take() {
        ByteBuffer buffer = free.pollFirst();
        return buffer == null
                ? ByteBuffer.allocateDirect(BYTES + BLOCK_BYTES)
                        .alignedSlice(BLOCK_BYTES)
                        .limit(BYTES)
                        .slice()
                : buffer.clear();
    }

    /** Logs once that files cannot be written past the page cache, as on a file system in memory. */
    void indirect(Path path, Exception cause) {
        if (indirectSaid.compareAndSet(false, true)) {
            LOG.info(
                    "large writes go through the page cache: the file system takes no direct ones path={} cause={}",
                    path,
                    cause.toString());
        }
    }

    void giveBack(ByteBuffer buffer) {
        free.addFirst(buffer);
    }
}
