// SPDX-License-Identifier: Apache-2.0
package org.talos.check.history;

/**
 * A value in a partition. Immutable.
 *
 * @param key the partition, and which incarnation of its topic it belongs to
 * @param offset {@link #UNKNOWN} where the answer does not name it
 */
public record Entry(String key, long offset, String value) {
    /** No offset. */
    public static final long UNKNOWN = -1;

    /** Returns a value to be sent, whose offset is not known yet. */
    public static Entry of(String key, String value) {
        return new Entry(key, UNKNOWN, value);
    }
}
