// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import java.util.List;
import java.util.Map;
import org.talos.server.http.stream.incoming.ClientMessage;

/** The requests of a stream to the server. Immutable, except for the put. */
sealed interface StreamWork {
    /** Store a put; {@link StreamSession#stored} or {@link StreamSession#refused} says how it has ended. */
    record BeginPut(InFlightPut put, ClientMessage.Put message) implements StreamWork {}

    /** Find the end of a partition; {@link StreamSession#endFound} or {@link StreamSession#readFailed} follows. */
    record FindEnd(Subscription subscription) implements StreamWork {}

    /**
     * Read messages; {@link StreamSession#read} or {@link StreamSession#readFailed} follows.
     *
     * @param waits whether to wait for messages if there are none
     */
    record Read(Subscription subscription, long offset, long maxBytes, boolean waits) implements StreamWork {}

    /** The requests of a member of a group; {@link Membership} handles the answers. */
    sealed interface OfGroup extends StreamWork {}

    /** Become a member, or be one again. */
    record Join(ClientMessage.Join asked) implements OfGroup {}

    /**
     * Renew the lease and balance.
     *
     * @param held the partitions that it knows that it holds
     * @param positions of partitions with messages in progress: where they are read on
     */
    record Balance(
            String group,
            String member,
            List<Integer> held,
            Map<Integer, Long> positions,
            boolean fromLatest,
            int membership)
            implements OfGroup {
        public Balance {
            held = List.copyOf(held);
            positions = Map.copyOf(positions);
        }
    }

    /** Commit an offset of one partition. */
    record Commit(String group, String member, int partition, long offset) implements OfGroup {}

    /** Be a member no more. */
    record Leave(String group, String member, int membership) implements OfGroup {}

    /** Let some time pass. */
    record Pause(long millis, int membership) implements OfGroup {}
}
