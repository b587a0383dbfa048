// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

/**
 * What a log is to keep. Immutable.
 *
 * @param nowMillis by which ages are measured, ms since 1970
 * @param maxAgeMillis a message is kept for at least this long
 * @param maxBytes of sealed segments; 0 means no bound
 * @param sparesOldLogs whether nothing goes by its age of a log whose newest message is too old: nobody has written to
 *     it for long, or the clock is wrong
 */
public record Retention(long nowMillis, long maxAgeMillis, long maxBytes, boolean sparesOldLogs) {
    boolean isTooOld(long timestamp) {
        return nowMillis - timestamp > maxAgeMillis;
    }
}
