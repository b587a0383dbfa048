// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A consumer group on a topic, as it was when the server answered. Immutable.
 *
 * @param members each with the partitions that it reads, which may be none
 * @param partitions all of the topic, in order
 */
public record GroupDescription(SortedMap<String, List<Integer>> members, List<Partition> partitions) {
    /** Keeps copies. */
    public GroupDescription {
        members = Collections.unmodifiableSortedMap(new TreeMap<>(members));
        partitions = List.copyOf(partitions);
    }

    /** Messages that are there and not committed, in all partitions; empty while it is not known of one of them. */
    public OptionalLong lag() {
        return partitions.stream().allMatch(each -> each.lag().isPresent())
                ? OptionalLong.of(partitions.stream()
                        .mapToLong(each -> each.lag().orElseThrow())
                        .sum())
                : OptionalLong.empty();
    }

    /**
     * How far a group is in a partition. Start, end and lag are empty while no server has the partition. Immutable.
     *
     * @param member who reads it
     * @param committed the next offset to read; empty if the group never committed
     * @param start of the oldest message
     * @param end one past the newest message
     * @param lag messages that are there and not committed
     */
    public record Partition(
            int partition,
            Optional<String> member,
            OptionalLong committed,
            OptionalLong start,
            OptionalLong end,
            OptionalLong lag) {}
}
