// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.body;

import java.nio.ByteBuffer;

/**
 * Bytes of an answer that are copied or rendered only when there is a buffer for them. So an answer never exists as a
 * whole: it takes the memory of its source, and of one buffer.
 *
 * <p>Confined: the writer of one answer.
 */
public interface Body {
    /**
     * Writes the next bytes, until the target is full or the body has ended. Each call makes progress if the target has
     * room for {@value #LEAST_ROOM_BYTES} bytes.
     */
    void fill(ByteBuffer target);

    /** Room in which every body makes progress: the longest sequence that a body does not split. */
    int LEAST_ROOM_BYTES = 8;

    /** Returns whether everything has been written. */
    boolean isDone();

    /** Returns the most bytes that are still to be written; exact if {@link #isMeasured}. */
    long mostBytes();

    /** Returns whether {@link #mostBytes} is exact, because nothing is rendered. */
    default boolean isMeasured() {
        return false;
    }
}
