// SPDX-License-Identifier: Apache-2.0
package org.talos.common.name;

import java.util.Map;

/**
 * Where the keys of a topic belong: its partitioner and its number of partitions. Immutable.
 *
 * @param partitioner by its name, which a later version may have given to a topic
 */
public record Placement(String partitioner, int partitions) {
    /** Returns the placement of a topic with these attributes. */
    public static Placement of(Map<String, String> attributes, int partitions) {
        return new Placement(Partitioner.nameIn(attributes), partitions);
    }

    /**
     * Returns the partition that all messages of a key go to.
     *
     * @throws IllegalArgumentException the topic's partitioner is unknown here
     */
    public int partition(String key) {
        return Partitioner.named(partitioner).partition(key, partitions);
    }
}
