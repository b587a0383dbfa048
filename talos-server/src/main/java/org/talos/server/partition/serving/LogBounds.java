// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import org.talos.server.log.gap.Gap;

/**
 * The begin and the end of a log. Immutable.
 *
 * @param start oldest offset that can be read
 * @param end one past the last acknowledged message
 * @param bytes between them
 * @param gap newest offsets without messages; behind the end while no message has followed them
 */
public record LogBounds(long start, long end, long bytes, Gap gap) {
    /** The bounds of a partition that a server has and does not serve: it is opening or closing it. */
    public static final LogBounds NOT_SERVED = new LogBounds(-1, -1, -1);

    /** Bounds of a log without a gap. */
    public LogBounds(long start, long end, long bytes) {
        this(start, end, bytes, Gap.NONE);
    }

    /**
     * Returns the number of messages from an offset on, or from the start if that is later; offsets of older gaps count
     * as messages.
     */
    public long messagesFrom(long offset) {
        return gap.messages(Math.max(start, offset), end);
    }

    /** Returns the number of messages ever acknowledged; offsets of older gaps count as messages. */
    public long messagesEver() {
        return gap.messages(0, end);
    }

    /**
     * Returns the last offset that a reader may have reached: the end, or the end of the newest gap if that is later.
     */
    public long last() {
        return Math.max(end, gap.end());
    }
}
