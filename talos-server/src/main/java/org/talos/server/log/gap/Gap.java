// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log.gap;

/**
 * Offsets of a log without messages: a power failure may have lost their messages, and the log continues behind them.
 * Immutable.
 *
 * @param first the first of them
 * @param end one past the last offset; equal to {@code first} if there are none
 */
public record Gap(long first, long end) {
    /** The gap of a log without one. */
    public static final Gap NONE = new Gap(0, 0);

    /** Returns the number of messages from one offset to another, exclusive; 0 if that is before. */
    public long messages(long from, long to) {
        return Math.max(0, (to - below(to)) - (from - below(from)));
    }

    private long below(long offset) {
        return Math.max(0, Math.min(end, offset) - first);
    }
}
