// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rows;

/**
 * What a user or a topic may use. Everything is -1 where there is no bound.
 *
 * <p>Immutable.
 *
 * @param spaceBytes of a topic, or of all topics that a user owns
 * @param topics that a user may own
 * @param putCalls puts a second
 * @param getCalls gets a second
 * @param putBytes bytes of blocks put, a second
 * @param getBytes bytes of blocks got, a second
 */
public record QuotaRecord(long spaceBytes, int topics, int putCalls, int getCalls, long putBytes, long getBytes) {
    /** Without a bound. */
    public static final int UNBOUNDED = -1;

    public QuotaRecord {
        if (Math.min(Math.min(spaceBytes, Math.min(putBytes, getBytes)), Math.min(topics, Math.min(putCalls, getCalls)))
                < UNBOUNDED) {
            throw new IllegalArgumentException("a quota below " + UNBOUNDED);
        }
    }
}
