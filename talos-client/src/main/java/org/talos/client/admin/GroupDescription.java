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
 * @param owner the user who owns the group; empty if it has none
 * @param grants rights of others
 * @param members partitions that each member reads, which may be none
 * @param partitions state of each partition of the topic, in order
 */
public record GroupDescription(
        Optional<String> owner,
        SortedMap<Grantee, GroupRight> grants,
        SortedMap<String, List<Integer>> members,
        List<Partition> partitions) {
    /** Copies the collections. */
    public GroupDescription {
        grants = Collections.unmodifiableSortedMap(new TreeMap<>(grants));
        members = Collections.unmodifiableSortedMap(new TreeMap<>(members));
        partitions = List.copyOf(partitions);
    }

    /**
     * Returns the group's lag: messages not yet committed, over all partitions; empty while the lag of a partition is
     * unknown.
     */
    public OptionalLong lag() {
        return partitions.stream().allMatch(each -> each.lag().isPresent())
                ? OptionalLong.of(partitions.stream()
                        .mapToLong(each -> each.lag().orElseThrow())
                        .sum())
                : OptionalLong.empty();
    }

    /**
     * A group's committed offset and lag in one partition. Start, end and lag are empty while no server serves the
     * partition. Immutable.
     *
     * @param member the member that reads it
     * @param committed next offset to read; empty if the group never committed
     * @param start offset of the oldest message
     * @param end one past the newest message
     * @param lag messages not yet committed
     */
    public record Partition(
            int partition,
            Optional<String> member,
            OptionalLong committed,
            OptionalLong start,
            OptionalLong end,
            OptionalLong lag) {}
}
