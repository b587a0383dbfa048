// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.net.URI;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The puts' view of one stream: its credit, what is unanswered on it, and which partitions have something to send.
 *
 * <p>Confined: the lock of its {@link StreamPuts}.
 */
final class PutLink {
    private final URI server;
    private final Deque<PutLane> ready = new ArrayDeque<>();
    private @Nullable Way way;
    private State state = State.OPENING;
    private int largestPut;
    private long credit;
    private int unanswered;
    private long progressNanos;
    private boolean hasStored;

    /** Opening, then open, then leaving; over when its connection is. */
    private enum State {
        OPENING,
        OPEN,
        LEAVING
    }

    PutLink(URI server, long nowNanos) {
        this.server = server;
        progressNanos = nowNanos;
    }

    void connect(Way to) {
        way = to;
    }

    URI server() {
        return server;
    }

    /** The stream is open. */
    void opened(ServerMessage.Opened terms, long nowNanos) {
        state = State.OPEN;
        credit = terms.window();
        largestPut = terms.largestPut();
        progressNanos = nowNanos;
    }

    boolean isOpen() {
        return state == State.OPEN;
    }

    /** The server stops: nothing more is sent, what is unanswered still is. */
    void leave() {
        state = State.LEAVING;
    }

    boolean isLeaving() {
        return state == State.LEAVING;
    }

    /** Puts a partition at the end of those that have something to send. */
    void add(PutLane lane) {
        lane.queue(this);
        ready.add(lane);
    }

    /** The partition whose turn it is; null if none has something to send. */
    @Nullable
    PutLane first() {
        return ready.peek();
    }

    /** Takes it out of the queue. */
    PutLane poll() {
        PutLane lane = ready.remove();
        lane.unqueue();
        return lane;
    }

    /** Whether a put may go on it. */
    boolean fits(PendingPut put) {
        return !put.wasCalled() && put.cost() <= largestPut;
    }

    boolean hasCredit(PendingPut put) {
        return put.cost() <= credit;
    }

    /**
     * Sends a put.
     *
     * @param ordered whether another of its partition is in flight
     */
    void send(PendingPut put, boolean ordered, long nowNanos) {
        if (unanswered == 0) {
            progressNanos = nowNanos;
        }
        credit -= put.cost();
        unanswered++;
        put.sent(nowNanos);
        Way to = way;
        if (to != null) {
            to.send(
                    StreamMessages.putHead(ordered, put.partition.number(), put.number, put.block),
                    put.block.bufferForMessageBlock());
        }
    }

    /** The server has answered a put. */
    void answered(boolean stored, long nowNanos) {
        unanswered--;
        hasStored |= stored;
        progressNanos = nowNanos;
    }

    void granted(int bytes, long nowNanos) {
        credit += bytes;
        progressNanos = nowNanos;
    }

    /** Whether it has ever stored something. */
    boolean hasStored() {
        return hasStored;
    }

    /**
     * Whether puts have waited too long for it to answer or to grant something. One that is being opened may take twice
     * as long: to connect, and then to say on which terms.
     */
    boolean isStuck(long nowNanos, long mostNanos) {
        long waited = nowNanos - progressNanos;
        return !isIdle() && waited > (state == State.OPENING ? 2 * mostNanos : mostNanos);
    }

    /** Whether no put is under way or waits for it. */
    boolean isIdle() {
        return unanswered == 0 && ready.isEmpty();
    }

    void close() {
        if (way != null) {
            way.close();
        }
    }

    void abort(String why) {
        if (way != null) {
            way.abort(why);
        }
    }
}
