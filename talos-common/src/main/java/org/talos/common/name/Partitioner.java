// SPDX-License-Identifier: Apache-2.0
package org.talos.common.name;

/** Computes the partition of a key in the same way as the existing Java SDK. Immutable. */
public final class Partitioner {
    private Partitioner() {}

    /** The partition of a key, from 0 to {@code partitions} − 1, by equal ranges of its {@link String#hashCode()}. */
    public static int partition(String key, int partitions) {
        int interval = Integer.MAX_VALUE / partitions;
        return ((key.hashCode() & Integer.MAX_VALUE) / interval) % partitions;
    }
}
