// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log.gap;

/**
 * How many offsets a segment may give. The bound is fixed, so that the next owner knows which may have been given,
 * whatever a power failure has left of the segment.
 *
 * <p>Immutable.
 */
public final class SegmentOffsets {
    /** No offset of a segment is as far behind its first. */
    public static final long MOST = 1L << 26;

    /** How many messages may get their offsets together. */
    public static final int MOST_TOGETHER = 1 << 24;

    private static final long OF_FULL_SEGMENT = 1L << 24;

    private SegmentOffsets() {}

    /** Returns whether a segment is full that has given all offsets from its base to before the next. */
    public static boolean areUsedUp(long base, long next) {
        return next - base >= OF_FULL_SEGMENT;
    }

    /** Returns whether a segment has offsets left for all messages that may get theirs together. */
    public static boolean haveRoom(long base, long next) {
        return next - base + MOST_TOGETHER <= MOST;
    }
}
