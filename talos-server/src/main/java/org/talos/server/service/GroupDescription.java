// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A consumer group as it is now. Immutable.
 *
 * @param members each with the partitions that it reads
 */
public record GroupDescription(SortedMap<String, List<Integer>> members, List<PartitionOf> partitions) {
    public GroupDescription {
        members = Collections.unmodifiableSortedMap(new TreeMap<>(members));
        partitions = List.copyOf(partitions);
    }

    /**
     * How far the group is in a partition. Immutable.
     *
     * @param member who reads it
     * @param committed the next offset to read; empty if the group never committed
     * @param start of the oldest message
     * @param end one past the newest
     */
    public record PartitionOf(int partition, Optional<String> member, OptionalLong committed, long start, long end) {
        /** Messages that are there and not committed. */
        public long lag() {
            return Math.max(0, end - Math.max(start, committed.orElse(start)));
        }
    }
}
