// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster;

import java.time.InstantSource;
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
    /** Where the partition is served now. A topic that was never heard of is nowhere. */
    Location place(String topicId, int partition);

    /**
     * Where clients reach the partition's server, as {@code host:port}; empty while it has none, and while this server
     * is cut off. A topic that the coordinator has not heard of yet may be empty as well.
     */
    Optional<String> address(String topicId, int partition);

    /**
     * Whether this server may answer with success: false as soon as it can't tell any more whether it still owns what
     * it owned.
     */
    boolean isConnected();

    /**
     * Whether what this server says is news that it has heard at or after that time, and not what it believes since
     * nobody has told it otherwise.
     *
     * @param nanos of the ticker
     */
    default boolean hasHeardSince(long nanos) {
        return isConnected(); // alone, there is nothing to hear
    }

    /**
     * By how many ms this server's clock is ahead of the cluster's, negative if it is behind: 0 if it is right, which
     * is as far apart as clocks may be. Who compares times of several servers, or deletes by age, asks.
     */
    default long clockAheadMillis() {
        return 0; // alone, there is none to compare it with
    }

    /** Whether this server's clock agrees with the cluster's, as far as is known. */
    default boolean isClockRight() {
        return clockAheadMillis() == 0;
    }

    /** The cluster's time by this server's clock: it goes on as before when that clock alone is set wrong. */
    default InstantSource clusterClock(InstantSource own) {
        return () -> own.instant().minusMillis(clockAheadMillis());
    }

    /**
     * A topic has been made, has got more partitions, or is gone (0). From any server; those who serve it hear of it as
     * of any change.
     */
    void topicChanged(String topicId, int partitions);

    /**
     * Rows that servers keep in memory have changed: every other server's {@link #onRowsChanged} listener runs soon.
     */
    void rowsChanged();

    /** Runs the listener after another server's {@link #rowsChanged}; several may come as one. It must not block. */
    void onRowsChanged(Runnable listener);

    /**
     * From now on hears of each change of what this server owns, one notice after another, in the order of the changes.
     * For one partition the notices alternate. What is owned already is told first. The listener must not block.
     */
    void onChange(Consumer<OwnershipChange> listener);

    /**
     * This server is about to stop: from now on others ask nothing of it, and its partitions wait for its return. What
     * it has begun it may end, {@link #isConnected} still holds. There is no way back.
     */
    default void leaving() {
        // Alone, there is nobody to tell.
    }

    /** Gives up what this server owns. No notice follows. May be called twice. */
    @Override
    void close();
}
