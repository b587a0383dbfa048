// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.net.URI;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The puts' view of one stream: its credit, its unanswered puts, and the partitions with puts to send.
 *
 * <p>Confined: the lock of its {@link StreamPuts}.
 */
final class PutLink extends Link {
    private final Deque<PutLane> ready = new ArrayDeque<>();
    private int largestPut;
    private long credit;
    private int unanswered;
    private long progressNanos;
    private boolean hasStored;

    PutLink(URI server, long nowNanos) {
        super(server);
        progressNanos = nowNanos;
    }

    /** Marks the stream as open. */
    void opened(ServerMessage.Opened terms, long nowNanos) {
        open();
        credit = terms.window();
        largestPut = terms.largestPut();
        progressNanos = nowNanos;
    }

    /** Puts a partition at the end of those with puts to send. */
    void add(PutLane lane) {
        lane.queue(this);
        ready.add(lane);
    }

    /** Returns the partition whose turn it is; null if none has something to send. */
    @Nullable
    PutLane first() {
        return ready.peek();
    }

    /** Removes a partition from the queue. */
    PutLane poll() {
        PutLane lane = ready.remove();
        lane.unqueue();
        return lane;
    }

    /** Returns whether the stream may send a put. */
    boolean fits(PendingPut put) {
        return !put.wasCalled() && put.cost() <= largestPut;
    }

    boolean hasCredit(PendingPut put) {
        return put.cost() <= credit;
    }

    /**
     * Sends a put.
     *
     * @param ordered whether another put of its partition is in flight
     */
    void send(PendingPut put, boolean ordered, long nowNanos) {
        if (unanswered == 0) {
            progressNanos = nowNanos;
        }
        credit -= put.cost();
        unanswered++;
        put.sent(nowNanos);
        send(
                StreamMessages.putHead(ordered, put.partition.number(), put.number, put.block),
                put.block.bufferForMessageBlock());
    }

    /** Notes that the server has answered a put. */
    void answered(boolean stored, long nowNanos) {
        unanswered--;
        hasStored |= stored;
        progressNanos = nowNanos;
    }

    void granted(int bytes, long nowNanos) {
        credit += bytes;
        progressNanos = nowNanos;
    }

    /** Returns whether the stream has ever stored a put. */
    boolean hasStored() {
        return hasStored;
    }

    /**
     * Returns whether puts have waited too long for an answer or for credit. A stream that is being opened may take
     * twice as long: to connect, and then to agree on terms.
     */
    boolean isStuck(long nowNanos, long mostNanos) {
        long waited = nowNanos - progressNanos;
        return !isIdle() && waited > (isOpening() ? 2 * mostNanos : mostNanos);
    }

    /** Returns whether no put is in flight on the stream or waits for it. */
    boolean isIdle() {
        return unanswered == 0 && ready.isEmpty();
    }
}
