// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

/**
 * A deletion of the oldest messages of a log. Immutable.
 *
 * @param before first offset that stays, or {@link #ALL}
 * @param preview whether only to report the result, without deleting
 */
public record Deletion(long before, boolean preview) {
    /** In place of an offset: all present messages. */
    public static final long ALL = -1;

    public Deletion {
        if (before < ALL) {
            throw new IllegalArgumentException("before: " + before + " (expected: an offset, or " + ALL + ")");
        }
    }

    /**
     * What a log has deleted, or would delete. Immutable.
     *
     * @param from where the log began before
     * @param to where it begins now
     * @param bytes of the messages as they are stored; where the new start is within a segment, a little less
     */
    public record Result(long from, long to, long messages, long bytes) {}
}
