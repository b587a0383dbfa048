// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The offsets to which a consumer group is reset. Immutable.
 *
 * @param target how the offsets are given
 * @param value an offset, or milliseconds since 1970; 0 for the other targets
 * @param partitions partitions to reset; empty for all
 * @param withMembers whether to reset even while the group has members; otherwise the server refuses, because the
 *     members' commits would undo the reset
 */
public record GroupReset(Target target, long value, Optional<Set<Integer>> partitions, boolean withMembers) {
    /** Copies the set of partitions. */
    public GroupReset {
        partitions = partitions.map(Set::copyOf);
    }

    /** How the new offset of a partition is given. */
    public enum Target {
        /** The oldest message. */
        EARLIEST,
        /** One past the newest message. */
        LATEST,
        /** An offset. */
        OFFSET,
        /** The first message that was appended at or after a time. */
        TIME
    }

    private static GroupReset to(Target target, long value) {
        return new GroupReset(target, value, Optional.empty(), false);
    }

    /** Returns a reset to the oldest message of each partition. */
    public static GroupReset toEarliest() {
        return to(Target.EARLIEST, 0);
    }

    /** Returns a reset to one past the newest message of each partition. */
    public static GroupReset toLatest() {
        return to(Target.LATEST, 0);
    }

    /** Returns a reset to an offset, which each of the partitions must have. */
    public static GroupReset toOffset(long offset) {
        return to(Target.OFFSET, offset);
    }

    /** Returns a reset to the first message that was appended at or after a time. */
    public static GroupReset toTime(Instant time) {
        return to(Target.TIME, time.toEpochMilli());
    }

    /** Returns this reset for some partitions only. */
    public GroupReset on(Set<Integer> some) {
        return new GroupReset(target, value, Optional.of(some), withMembers);
    }

    /** Returns this reset, also while the group has members. */
    public GroupReset evenWithMembers() {
        return new GroupReset(target, value, partitions, true);
    }

    /**
     * The change of one partition's committed offset. Immutable.
     *
     * @param from next offset to read before the reset; empty if the group never committed
     * @param to next offset to read after the reset
     */
    public record Move(int partition, OptionalLong from, long to) {}
}
