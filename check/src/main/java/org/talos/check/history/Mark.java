// SPDX-License-Identifier: Apache-2.0
package org.talos.check.history;

/**
 * Two offsets of a partition; their meaning depends on the operation's {@link Kind}. Immutable.
 *
 * @param key the partition, as in {@link Entry}
 */
public record Mark(String key, long from, long to) {
    /** A mark whose two offsets are equal. */
    public static Mark at(String key, long offset) {
        return new Mark(key, offset, offset);
    }
}
