// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log.gap;

/**
 * Offsets of a log that no message has: a power failure may have taken those that had them, and the log continues
 * behind. Immutable.
 *
 * @param first the first of them
 * @param end one past the last of them; as {@code first} if there are none
 */
public record Gap(long first, long end) {
    /** The gap of a log without one. */
    public static final Gap NONE = new Gap(0, 0);

    /**
     * Returns how many messages there are from one offset to another, which is not one of them; 0 if that is before.
     */
    public long messages(long from, long to) {
        return Math.max(0, (to - below(to)) - (from - below(from)));
    }

    private long below(long offset) {
        return Math.max(0, Math.min(end, offset) - first);
    }
}
