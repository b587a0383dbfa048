// SPDX-License-Identifier: Apache-2.0
package org.talos.server.testing;

/**
 * Tells where a log may lack offsets: with {@code flush}, after an end without a stop, it continues behind all offsets
 * that it may have given.
 *
 * <p>Immutable.
 */
public final class LogGaps {
    private static final long LEAST = 1 << 24;

    private LogGaps() {}

    /** Returns whether a message may have the offset where another one is due: else some are missing, or come again. */
    public static boolean mayFollow(long due, long offset) {
        return offset == due || offset - due >= LEAST;
    }
}
