// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The reads' view of one stream: its partitions, the used part of its window, and whether its server is alive.
 *
 * <p>Confined: the lock of its {@link StreamReads}.
 */
final class ReadLink extends Link {
    private static final int GRANTS_A_WINDOW = 4;

    private final Map<Integer, ReadLane> lanes = new HashMap<>();
    private int window;
    private long held;
    private int toGrant; // bytes taken, and not granted yet
    private int largest; // block that has come
    private boolean isPinged;
    private boolean hasBrought;
    private long heardNanos;
    private long broughtNanos; // or last grant: since then the server lacked messages or credit
    private long usedNanos;
    private long leavesNanos;

    ReadLink(URI server, long nowNanos) {
        super(server);
        heardNanos = nowNanos;
        usedNanos = nowNanos;
    }

    /** Marks the stream as open. */
    void opened(ServerMessage.Opened terms, long nowNanos) {
        open();
        window = terms.window();
        broughtNanos = nowNanos;
        usedNanos = nowNanos;
    }

    /** Marks the stream as leaving: it takes no more partitions, and the present ones must leave by a time. */
    void leaveUntil(long nanos) {
        leave();
        leavesNanos = nanos;
    }

    /** Returns whether the remaining partitions must move elsewhere now. */
    boolean isToBeLeft(long nowNanos) {
        return isLeaving() && nowNanos - leavesNanos >= 0;
    }

    /** Notes that a reader has used the stream. */
    void use(long nowNanos) {
        usedNanos = nowNanos;
    }

    /** Subscribes to a partition, or moves its subscription to another offset. */
    void subscribe(ReadLane lane, long from) {
        lanes.put(lane.partition().number(), lane);
        lane.subscribe(this, from);
        send(StreamMessages.subscribe(lane.partition().number(), from));
    }

    /** Ends the subscription of a partition. */
    void unsubscribe(ReadLane lane, long nowNanos) {
        send(StreamMessages.unsubscribe(lane.partition().number()));
        ended(lane, nowNanos);
    }

    /** Ends a partition, and releases its ready messages. */
    void ended(ReadLane lane, long nowNanos) {
        lanes.remove(lane.partition().number());
        taken(lane.cut(), nowNanos);
        usedNanos = nowNanos;
    }

    /** Returns the partition of that number; null if it is not on this stream. */
    @Nullable
    ReadLane lane(int partition) {
        return lanes.get(partition);
    }

    List<ReadLane> lanes() {
        return List.copyOf(lanes.values());
    }

    /** Notes that a block has arrived, which is ready until its reader takes it. */
    void holds(int bytes) {
        held += bytes;
    }

    /** Notes that this number of bytes was taken or dropped: the server may send as many again. */
    void taken(int bytes, long nowNanos) {
        held -= bytes;
        grant(bytes, nowNanos);
    }

    /**
     * Grants the server this number of bytes more: not at once, because each grant wakes the server, but before it
     * could lack credit for a block as large as the previous ones.
     */
    void grant(int bytes, long nowNanos) {
        toGrant += bytes;
        if (toGrant >= window / GRANTS_A_WINDOW || held + toGrant + largest > window) {
            grantAll(nowNanos);
        }
    }

    private void grantAll(long nowNanos) {
        if (toGrant > 0) {
            broughtNanos = nowNanos;
            send(StreamMessages.grant(toGrant));
            toGrant = 0;
        }
    }

    /**
     * Grants all bytes that were taken if nothing has arrived for this time: the next block may be larger than all
     * previous ones.
     */
    void grantIfQuiet(long nowNanos, long forNanos) {
        if (nowNanos - broughtNanos >= forNanos) {
            grantAll(nowNanos);
        }
    }

    /** Notes that a block has arrived. */
    void brought(int bytes, long nowNanos) {
        hasBrought = true;
        largest = Math.max(largest, bytes);
        broughtNanos = nowNanos;
    }

    boolean hasBrought() {
        return hasBrought;
    }

    /**
     * Returns whether readers wait for messages that the server has, or may have, while messages that others have not
     * taken for this time keep the server from sending any.
     */
    boolean isBlocked(long nowNanos, long forNanos) {
        return held > 0
                && nowNanos - broughtNanos > forNanos
                && lanes.values().stream().anyMatch(holdsUpAny() ? ReadLane::isAwaited : ReadLane::isBehind);
    }

    /** Returns whether the credit that is left may be too little for the next block of a partition. */
    private boolean holdsUpAny() {
        return held >= window / 2 || held + largest > window;
    }

    /** Notes that the server is alive. */
    void heard(long nowNanos) {
        isPinged = false;
        heardNanos = nowNanos;
    }

    /** Pings the server if nothing has arrived from it for half of a time. */
    void ping(long nowNanos, long mostNanos) {
        if (isOpen() && !isPinged && nowNanos - heardNanos > mostNanos / 2) {
            isPinged = true;
            ping();
        }
    }

    /** Returns whether the server was silent for too long. Opening the stream may take twice as long as an answer. */
    boolean isSilent(long nowNanos, long mostNanos) {
        return nowNanos - heardNanos > (isOpen() ? mostNanos + mostNanos / 2 : 2 * mostNanos);
    }

    /** Returns whether the stream was unused for this time. A leaving stream needs no such time. */
    boolean isIdle(long nowNanos, long forNanos) {
        return lanes.isEmpty() && (isLeaving() || (isOpen() && nowNanos - usedNanos > forNanos));
    }
}
