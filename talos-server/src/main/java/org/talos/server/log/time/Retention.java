// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log.time;

/**
 * The limits of a log's retention. Immutable.
 *
 * @param nowMillis by which ages are measured, ms since 1970
 * @param maxAgeMillis a message is kept for at least this long
 * @param maxBytes of sealed segments; 0 means no bound
 * @param sparesOldLogs whether the clock may be wrong: then no messages are deleted by age from a log that seems to
 *     have had no puts for longer than its retention
 */
public record Retention(long nowMillis, long maxAgeMillis, long maxBytes, boolean sparesOldLogs) {
    /** Returns whether a message of a timestamp (ms since 1970) is kept no longer. */
    public boolean isTooOld(long timestamp) {
        return nowMillis - timestamp > maxAgeMillis;
    }

    /**
     * The signs of a wrong clock that a round has found. Immutable.
     *
     * @param spared whether messages are kept that are too old, as the clock may be wrong
     * @param isAhead whether the log's timestamps are so far ahead of the clock that its messages are kept too long
     */
    public record Signs(boolean spared, boolean isAhead) {
        /** The signs of an ordinary round. */
        public static final Signs NONE = new Signs(false, false);
    }
}
