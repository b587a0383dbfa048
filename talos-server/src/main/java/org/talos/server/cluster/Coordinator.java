// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * Says which server serves which partition. The seam to a cluster.
 *
 * <p>What it says is advice, and may be old by the time it is read: what keeps two servers from writing one partition
 * is the epoch in the metadata, not this. Nothing here blocks.
 *
 * <p>Thread-safe.
 */
public interface Coordinator extends AutoCloseable {
    /** Whether this server is the one to serve the partition now. */
    boolean owns(String topicId, int partition);

    /**
     * Where clients reach the partition's server, as {@code host:port}; empty while it has none. A topic that the
     * coordinator has not heard of yet may be empty as well.
     */
    Optional<String> address(String topicId, int partition);

    /**
     * From now on hears of each change of what this server owns, one notice after another, in the order of the changes.
     * For one partition the notices alternate. What was owned before is asked of {@link #owns}. The listener must not
     * block.
     */
    void onChange(Consumer<OwnershipChange> listener);

    /** Gives up what this server owns. No notice follows. May be called twice. */
    @Override
    void close();
}
