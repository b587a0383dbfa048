// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.message;

import java.util.Optional;
import java.util.Set;

/**
 * A deletion of the oldest messages of a topic. Immutable.
 *
 * @param before place in each partition before which all messages are deleted
 * @param partitions empty for all
 * @param preview whether only to report what would be deleted
 */
public record MessageDeletion(Place before, Optional<Set<Integer>> partitions, boolean preview) {
    public MessageDeletion {
        partitions = partitions.map(Set::copyOf);
    }

    /** A place in each partition. */
    public sealed interface Place {
        /** Behind the newest message that there is. */
        record Latest() implements Place {}

        /** An offset, not behind that. Immutable. */
        record Offset(long offset) implements Place {}

        /** The first message that was appended at or after a time, ms since 1970. Immutable. */
        record Time(long millis) implements Place {}
    }

    /**
     * The deleted messages of a partition, or those that would be deleted. Immutable.
     *
     * @param from where it began before
     * @param to where it begins now
     * @param bytes of the messages as they are stored; a little less if the new start is within a segment
     */
    public record Deleted(int partition, long from, long to, long messages, long bytes) {}
}
