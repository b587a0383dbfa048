// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows.quota;

/**
 * The quota of a user or a topic. A value of -1 is no bound.
 *
 * <p>Immutable.
 *
 * @param spaceBytes stored bytes of a topic, or of all topics that a user owns
 * @param topics number of topics that a user may own
 * @param putCalls puts a second
 * @param getCalls gets a second
 * @param putBytes bytes put a second
 * @param getBytes bytes got a second
 */
public record QuotaRecord(long spaceBytes, int topics, int putCalls, int getCalls, long putBytes, long getBytes) {
    /** The value for no bound. */
    public static final int UNBOUNDED = -1;

    public QuotaRecord {
        if (Math.min(Math.min(spaceBytes, Math.min(putBytes, getBytes)), Math.min(topics, Math.min(putCalls, getCalls)))
                < UNBOUNDED) {
            throw new IllegalArgumentException("a quota below " + UNBOUNDED);
        }
    }
}
