// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Where a group is to go on. Immutable.
 *
 * @param partitions empty for all
 * @param preview whether only to answer what would change
 * @param force whether also while the group has members; one that reads is moved at its next fetch without positions
 */
public record GroupReset(Target target, Optional<Set<Integer>> partitions, boolean preview, boolean force) {
    public GroupReset {
        partitions = partitions.map(Set::copyOf);
    }

    /** A place in each partition. */
    public sealed interface Target {
        /** The oldest message that there is. */
        record Earliest() implements Target {}

        /** Behind the newest message that there is. */
        record Latest() implements Target {}

        /** An offset, within what there is. Immutable. */
        record Offset(long offset) implements Target {}

        /** The first message that was appended at or after a time, ms since 1970. Immutable. */
        record Time(long millis) implements Target {}
    }

    /**
     * What becomes of one partition. Immutable.
     *
     * @param from the next offset to read until now; empty if the group never committed
     * @param to the next offset to read from now on
     */
    public record Moved(int partition, OptionalLong from, long to) {}
}
