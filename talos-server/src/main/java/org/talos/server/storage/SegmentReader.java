// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage;

import java.nio.ByteBuffer;

/** Reads bytes of segments. Every call may block. Thread-safe. */
@FunctionalInterface
public interface SegmentReader {
    /**
     * Reads bytes of completed appends, also while the writer continues.
     *
     * @param position byte in the segment, 0 or more
     * @param target is filled from its position with the completed bytes
     * @return number of bytes read; 0 at or past the end of the completed bytes
     * @throws StorageException UNAVAILABLE; CORRUPT: no such segment
     */
    int read(SegmentName name, long position, ByteBuffer target) throws StorageException;
}
