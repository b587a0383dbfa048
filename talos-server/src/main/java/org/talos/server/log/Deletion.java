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
     * The result of a deletion or of its preview. Immutable.
     *
     * @param from where the log began before
     * @param to where it begins now
     * @param bytes stored size of the messages; a little less where the new start is within a segment
     */
    public record Result(long from, long to, long messages, long bytes) {}
}
