// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.top;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The state of topics and groups at a moment. Immutable.
 *
 * @param nanos monotonic clock, for rates
 * @param at wall clock
 * @param topicsInAll number of the user's topics; no more than {@link Sampler#MOST_TOPICS} are in the sample
 */
record Sample(long nanos, Instant at, List<Topic> topics, List<Group> groups, int topicsInAll) {
    Sample {
        topics = List.copyOf(topics);
        groups = List.copyOf(groups);
    }

    /**
     * A topic. Immutable.
     *
     * @param kept empty while a partition has no server: the number is unknown then
     * @param allGroups whether all of its groups are in the sample
     */
    record Topic(String name, int partitions, Optional<Kept> kept, boolean allGroups) {}

    /**
     * The stored messages of a topic. Immutable.
     *
     * @param put messages that were ever put, by the next offsets of its partitions
     */
    record Kept(long put, long messages, long bytes) {}

    /**
     * A group on a topic. Immutable.
     *
     * @param committed sum of the committed offsets of all partitions
     * @param lag empty while that of a partition is not known
     */
    record Group(String topic, String name, int members, long committed, OptionalLong lag) {}
}
