// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

/**
 * What a partition has. Immutable.
 *
 * @param start oldest offset
 * @param end offset of the last message; start − 1 if there is none
 */
public record PartitionOffsets(int partition, long start, long end) {
    /** Messages between them. */
    public long messages() {
        return end - start + 1;
    }
}
