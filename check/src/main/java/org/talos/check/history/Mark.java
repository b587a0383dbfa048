// SPDX-License-Identifier: Apache-2.0
package org.talos.check.history;

/**
 * Two offsets of a partition; {@link Kind} says of what. Immutable.
 *
 * @param key the partition, as in {@link Entry}
 */
public record Mark(String key, long from, long to) {
    /** One offset. */
    public static Mark at(String key, long offset) {
        return new Mark(key, offset, offset);
    }
}
