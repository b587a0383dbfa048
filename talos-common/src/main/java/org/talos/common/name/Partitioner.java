// SPDX-License-Identifier: Apache-2.0
package org.talos.common.name;

/** Which partition a key belongs to, as the Java SDK has it. Immutable. */
public final class Partitioner {
    private Partitioner() {}

    /** A partition from 0 to {@code partitions} − 1: equal ranges of the key's {@link String#hashCode()}. */
    public static int partition(String key, int partitions) {
        int interval = Integer.MAX_VALUE / partitions;
        return ((key.hashCode() & Integer.MAX_VALUE) / interval) % partitions;
    }
}
