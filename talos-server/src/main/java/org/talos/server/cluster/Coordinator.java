// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster;

import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Knows which server serves which partition. The seam to a cluster.
 *
 * <p>Its answers are advice and may be stale when they are used: the epoch in the metadata, not this, keeps two servers
 * from writing one partition. No call blocks.
 *
 * <p>Thread-safe.
 */
public interface Coordinator extends AutoCloseable {
    /** Returns where the partition is served now; {@link Location.Nowhere} for an unknown topic. */
    Location locate(String topicId, int partition);

    /**
     * Returns where clients reach the partition's server, as {@code host:port}; empty while the partition has no server
     * or is not known yet, and while this server is cut off from the cluster.
     */
    Optional<String> address(String topicId, int partition);

    /** Returns the other live servers, including those that are about to stop. */
    default List<ClusterMember> others() {
        return List.of(); // a single server knows none
    }

    /**
     * Returns whether this server may answer with success: false once another may have been given its partitions
     * without its knowing. An interrupted connection alone is no reason.
     */
    boolean isConnected();

    /**
     * Returns whether this server is in contact with its cluster now, so that its view of owners is current. Ask before
     * you take a partition.
     */
    default boolean isInTouch() {
        return isConnected(); // a single server hears itself
    }

    /**
     * Returns whether a process is registered, be it about to stop: it may have partitions that it has not released.
     *
     * @param process as partitions' rows name their owners
     */
    default boolean isAlive(String process) {
        return false; // a single server knows no other process
    }

    /**
     * Announces that this process has nothing any more of a partition that it has lost: its next owner need not wait.
     */
    default void released(String topicId, int partition) {
        // Does nothing: a single server has no others to notify.
    }

    /** Notifies the listener of events for which takers of partitions wait. */
    default void onHandovers(HandoverListener listener) {
        // Does nothing: a single server waits for no others.
    }

    /**
     * Is notified when it may be able to take a partition now. These are hints, which may come twice or not at all.
     * Must not block.
     */
    interface HandoverListener {
        /** Another process has released a partition lately. */
        void released(String topicId, int partition);

        /** This server is in touch with its cluster, for the first time or again. */
        void inTouch();
    }

    /**
     * Returns whether the cluster has confirmed this server's view at or after that time.
     *
     * @param nanos a reading of the ticker
     */
    default boolean hasHeardSince(long nanos) {
        return isConnected(); // a single server needs no confirmation
    }

    /**
     * Returns whether this server's clock differs from the cluster's by no more than the configured bound, by the last
     * comparison. For deleting by age.
     */
    default boolean isClockRight() {
        return true; // a single server has no other clock to compare with
    }

    /**
     * The cluster's time, for comparing timestamps of several servers: stays right when this server's clock alone is
     * set wrong, whenever that is.
     *
     * @param own this server's clock
     */
    default ClusterClock clusterClock(InstantSource own) {
        return ClusterClock.own(own); // a single server has no other
    }

    /**
     * Announces that a topic was created, has got more partitions, or is deleted (0). Any server may call it; the
     * topic's owners are notified through {@link #onChange}.
     */
    void topicChanged(String topicId, int partitions);

    /**
     * Announces a change of rows that servers cache: every other server's {@link #onRowsChanged} listener runs soon.
     */
    void rowsChanged();

    /** Runs the listener after another server's {@link #rowsChanged}, once for several of them. It must not block. */
    void onRowsChanged(Runnable listener);

    /**
     * Notifies the listener of each partition that this server gains or loses: first of all it owns already, then of
     * each change, in order and one at a time. For one partition gain and loss alternate. The listener must not block.
     */
    void onChange(Consumer<OwnershipChange> listener);

    /**
     * Runs the listener each time that an operator begins to drain this server, and when it finds itself drained as it
     * joins. It must not block.
     */
    default void onDrained(Runnable listener) {
        // Does nothing: a single server has no others to give its partitions to.
    }

    /**
     * Announces that this server is about to stop: others send it no further requests, and its partitions wait for its
     * return. Requests in flight may end: {@link #isConnected} stays true. Cannot be undone.
     */
    default void leaving() {
        // Does nothing: a single server has no others to notify.
    }

    /** Gives up all partitions of this server, without notices. May be called twice. */
    @Override
    void close();
}
