// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Where a consumer group is to go on reading. Immutable.
 *
 * @param place what kind of place
 * @param value an offset, or milliseconds since 1970; 0 for the other places
 * @param partitions empty for all
 * @param withMembers whether also while the group has members; without it the server refuses, as their commits would
 *     undo it
 */
public record GroupReset(Place place, long value, Optional<Set<Integer>> partitions, boolean withMembers) {
    /** Keeps a copy. */
    public GroupReset {
        partitions = partitions.map(Set::copyOf);
    }

    /** A kind of place in a partition. */
    public enum Place {
        /** The oldest message that there is. */
        EARLIEST,
        /** Behind the newest message that there is. */
        LATEST,
        /** An offset. */
        OFFSET,
        /** The first message that was appended at or after a time. */
        TIME
    }

    private static GroupReset to(Place place, long value) {
        return new GroupReset(place, value, Optional.empty(), false);
    }

    /** To the oldest message of each partition. */
    public static GroupReset toEarliest() {
        return to(Place.EARLIEST, 0);
    }

    /** Behind the newest message of each partition. */
    public static GroupReset toLatest() {
        return to(Place.LATEST, 0);
    }

    /** To an offset, which each of the partitions must have. */
    public static GroupReset toOffset(long offset) {
        return to(Place.OFFSET, offset);
    }

    /** To what was appended at or after a time. */
    public static GroupReset toTime(Instant time) {
        return to(Place.TIME, time.toEpochMilli());
    }

    /** The same for some partitions only. */
    public GroupReset on(Set<Integer> some) {
        return new GroupReset(place, value, Optional.of(some), withMembers);
    }

    /** The same, also while the group has members. */
    public GroupReset evenWithMembers() {
        return new GroupReset(place, value, partitions, true);
    }

    /**
     * What becomes of one partition. Immutable.
     *
     * @param from the next offset to read until now; empty if the group never committed
     * @param to the next offset to read from now on
     */
    public record Move(int partition, OptionalLong from, long to) {}
}
