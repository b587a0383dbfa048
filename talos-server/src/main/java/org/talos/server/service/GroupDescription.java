// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.server.transfer.LogBounds;

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
     * @param log empty while no server has the partition
     */
    public record PartitionOf(int partition, Optional<String> member, OptionalLong committed, Optional<LogBounds> log) {
        /** Messages that are there and not committed; empty while no server has the partition. */
        public OptionalLong lag() {
            return log.stream()
                    .mapToLong(known ->
                            Math.max(0, known.end() - Math.max(known.start(), committed.orElse(known.start()))))
                    .findAny();
        }
    }

    /** Of all partitions; empty while it is not known of one of them. */
    public OptionalLong lag() {
        return partitions.stream().allMatch(each -> each.log().isPresent())
                ? OptionalLong.of(partitions.stream()
                        .mapToLong(each -> each.lag().orElseThrow())
                        .sum())
                : OptionalLong.empty();
    }
}
