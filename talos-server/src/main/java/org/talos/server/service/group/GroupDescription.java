// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.server.partition.serving.LogBounds;
import org.talos.thrift.GroupRight;

/**
 * A consumer group at present. Immutable.
 *
 * @param owner of the group; empty if it has none
 * @param grants rights of others
 * @param members each with the partitions that it reads
 */
public record GroupDescription(
        Optional<String> owner,
        SortedMap<String, GroupRight> grants,
        SortedMap<String, List<Integer>> members,
        List<PartitionOf> partitions) {
    public GroupDescription {
        grants = Collections.unmodifiableSortedMap(new TreeMap<>(grants));
        members = Collections.unmodifiableSortedMap(new TreeMap<>(members));
        partitions = List.copyOf(partitions);
    }

    /**
     * The progress of the group in a partition. Immutable.
     *
     * @param member that reads it
     * @param committed next offset to read; empty if the group never committed
     * @param start of the oldest message; empty while no server has the partition
     * @param end one past the newest; empty as well
     * @param lag messages that are there and not committed; empty as well
     */
    public record PartitionOf(
            int partition,
            Optional<String> member,
            OptionalLong committed,
            OptionalLong start,
            OptionalLong end,
            OptionalLong lag) {
        static PartitionOf of(int partition, Optional<String> member, OptionalLong committed, Optional<LogBounds> log) {
            return new PartitionOf(
                    partition,
                    member,
                    committed,
                    log.stream().mapToLong(LogBounds::start).findAny(),
                    log.stream().mapToLong(LogBounds::end).findAny(),
                    log.stream()
                            .mapToLong(each -> each.messagesFrom(committed.orElse(0)))
                            .findAny());
        }
    }

    /** Returns the lag of all partitions; empty while it is unknown for one of them. */
    public OptionalLong lag() {
        return partitions.stream().allMatch(each -> each.end().isPresent())
                ? OptionalLong.of(partitions.stream()
                        .mapToLong(each -> each.lag().orElseThrow())
                        .sum())
                : OptionalLong.empty();
    }
}
