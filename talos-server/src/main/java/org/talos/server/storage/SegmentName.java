// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage;

/**
 * Names a segment: its log, the offset of its first message, and the epoch of the owner that writes it. Immutable.
 *
 * @param baseOffset offset of the first message, 0 or more
 * @param epoch of the writing owner, 1 or more; two owners never write one segment
 */
public record SegmentName(LogId log, long baseOffset, long epoch) {
    /** Refuses numbers that no segment has. */
    public SegmentName {
        if (baseOffset < 0 || epoch < 1) {
            throw new IllegalArgumentException("segment: " + baseOffset + "-" + epoch + " (expected: 0.. and 1..)");
        }
    }

    @Override
    public String toString() {
        return log + "/" + baseOffset + "-" + epoch;
    }
}
