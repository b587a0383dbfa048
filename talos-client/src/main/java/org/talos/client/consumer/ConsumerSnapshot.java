// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A consumer's partitions and figures at one moment, as the consumer knows them. A snapshot makes no call to a server.
 * Immutable.
 *
 * @param group name of its group
 * @param member its name
 * @param isMember whether it shares the topics' partitions with the group's members; false if it reads assigned
 *     partitions
 * @param lastContact when a server last answered it, by this machine's clock: a heartbeat, a fetch, a commit. Empty if
 *     none has
 * @param partitions that it reads, in order; empty before the start and after the end
 */
public record ConsumerSnapshot(
        String group, String member, boolean isMember, Optional<Instant> lastContact, List<Partition> partitions) {
    /** Copies the partitions. */
    public ConsumerSnapshot {
        partitions = List.copyOf(partitions);
    }

    /** Returns the lag of all partitions, in messages; empty while the lag of a partition is unknown. */
    public OptionalLong lag() {
        return partitions.stream().allMatch(each -> each.lag().isPresent())
                ? OptionalLong.of(partitions.stream()
                        .mapToLong(each -> each.lag().orElseThrow())
                        .sum())
                : OptionalLong.empty();
    }

    /** Returns the bytes that are ready for the program, of all partitions. */
    public long bufferedBytes() {
        return partitions.stream().mapToLong(Partition::bufferedBytes).sum();
    }

    /**
     * One partition that the consumer reads. Immutable.
     *
     * @param position offset of the message that a poll returns next, or that a processor gets when its call has
     *     succeeded; empty until it is known: while the start is looked up, or the oldest message
     * @param committed next offset of the group as far as this consumer knows it; empty if it knows of no commit
     * @param lag messages from the position to the partition's end, without expired ones, as last reported by a server.
     *     A snapshot queries it again in the background if it is older than 5 s. Empty until the first answer
     * @param isPaused whether the program has paused it
     * @param bufferedBytes bytes that have arrived and were not passed to the program: stored bytes, except that
     *     messages ready for the next poll count with their bodies only
     */
    public record Partition(
            TopicPartition partition,
            OptionalLong position,
            OptionalLong committed,
            OptionalLong lag,
            boolean isPaused,
            long bufferedBytes) {}
}
