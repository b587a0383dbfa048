// SPDX-License-Identifier: Apache-2.0
package org.talos.client.consumer;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.talos.client.RetriableException;
import org.talos.client.TalosClientException;
import org.talos.client.consumer.group.GroupCalls;
import org.talos.client.consumer.group.TopicRef;
import org.talos.client.transport.PartitionRef;

/**
 * Finds the start of a consumer's readers. A start that a second lookup might not find again, such as the end or a
 * reset, is committed before anything is read, so that the next reader of the partition continues from there.
 *
 * <p>Thread-safe.
 */
final class StartOffsets {
    private final GroupCalls group;
    private final ConsumerConfig config;
    private final Set<PartitionRef> begun = ConcurrentHashMap.newKeySet(); // begun by any member: not reset again
    private final Map<String, Integer> firstSeen = new ConcurrentHashMap<>(); // resource name to its partitions

    StartOffsets(GroupCalls group, ConsumerConfig config) {
        this.group = group;
        this.config = config;
    }

    /**
     * Where a reader begins. Immutable.
     *
     * @param position offset to read from, or {@link SimpleConsumer#EARLIEST}
     * @param isKept whether the next reader begins there too; otherwise the first commit is due at once. An older
     *     server cannot keep offset 0, as commits name the last processed offset; nor can a reader that is no member
     *     while a member has the partition
     * @param committed next offset of the group, as it is stored; empty if it has committed nothing
     */
    record Start(long position, boolean isKept, OptionalLong committed) {}

    /** Notes the topics as they are now. Partitions that are added later are read from the beginning. */
    void seen(Collection<TopicRef> topics) {
        topics.forEach(topic -> firstSeen.putIfAbsent(topic.resourceName(), topic.partitions()));
    }

    /** Notes the partitions that other members read: the group has begun there, so this member's reset is over. */
    void seen(Map<String, List<PartitionRef>> members, String me) {
        members.forEach((member, partitions) -> {
            if (!member.equals(me)) {
                begun.addAll(partitions);
            }
        });
    }

    /** Notes that this member has committed: when it takes the partition again, it continues from there. */
    void committed(PartitionRef partition) {
        begun.add(partition);
    }

    /** Returns where to begin; empty if another member has the lock that this one must have. */
    Optional<Start> begin(PartitionRef partition) throws TalosClientException {
        OptionalLong committed = group.committed(partition);
        boolean reset = config.ignoreCommitted() && !begun.contains(partition);
        if (committed.isPresent() && !reset) {
            return Optional.of(new Start(committed.getAsLong(), true, committed));
        }
        boolean isNew = partition.number() >= firstSeen.getOrDefault(partition.resourceName(), Integer.MAX_VALUE);
        StartPosition from = isNew ? StartPosition.EARLIEST : config.start();
        if (!reset && !from.end()) {
            return Optional.of(new Start(offset(partition, from), true, committed)); // every lookup finds the same
        }
        return keep(partition, at(partition, from), committed);
    }

    /** Returns the offset that a position is now, 0 or more. */
    long at(PartitionRef partition, StartPosition position) throws TalosClientException {
        long offset = offset(partition, position);
        return offset == SimpleConsumer.EARLIEST ? group.start(partition) : offset;
    }

    /**
     * Returns where to continue when there are no messages at the group's offset: they have expired, or storage has
     * lost them and the group goes back. Empty if another member has the lock.
     */
    Optional<Start> restart(PartitionRef partition) throws TalosClientException {
        OptionalLong committed = group.committed(partition);
        long next = config.outOfRange().end() ? group.end(partition) : group.start(partition);
        return config.outOfRange().end() || committed.orElse(0) > next
                ? keep(partition, next, committed)
                : Optional.of(new Start(SimpleConsumer.EARLIEST, true, committed));
    }

    private Optional<Start> keep(PartitionRef partition, long next, OptionalLong committed)
            throws TalosClientException {
        GroupCalls.Moved moved = committed.equals(OptionalLong.of(next))
                ? GroupCalls.Moved.DONE
                : group.move(partition, committed, next);
        return switch (moved) {
            case DONE -> {
                begun.add(partition);
                yield Optional.of(new Start(next, true, OptionalLong.of(next)));
            }
            case NOT_TAKEN -> Optional.of(new Start(next, false, committed));
            case LOCK_LOST -> group.isMember() ? Optional.empty() : Optional.of(new Start(next, false, committed));
            case NOT_THERE ->
                throw new RetriableException(
                        "NOT_EXPECTED", "NOT_EXPECTED: another member has committed in partition " + partition, null);
        };
    }

    private long offset(PartitionRef partition, StartPosition from) throws TalosClientException {
        if (from.time().isPresent()) {
            return group.at(partition, from.time().get());
        }
        return from.end() ? group.end(partition) : SimpleConsumer.EARLIEST;
    }
}
