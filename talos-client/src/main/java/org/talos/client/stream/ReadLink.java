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
    private int toGrant; // taken, and not granted yet
    private int largest; // block that has come
    private boolean isPinged;
    private boolean hasBrought;
    private long heardNanos;
    private long broughtNanos; // or granted: since then the server had nothing to send, or nothing to send it with
    private long usedNanos;
    private long leavesNanos;

    ReadLink(URI server, long nowNanos) {
        super(server);
        heardNanos = nowNanos;
        usedNanos = nowNanos;
    }

    /** The stream is open. */
    void opened(ServerMessage.Opened terms, long nowNanos) {
        open();
        window = terms.window();
        broughtNanos = nowNanos;
        usedNanos = nowNanos;
    }

    /** Takes no more partitions; the present ones must leave by a time. */
    void leaveUntil(long nanos) {
        leave();
        leavesNanos = nanos;
    }

    /** Returns whether the remaining partitions must move elsewhere now. */
    boolean isToBeLeft(long nowNanos) {
        return isLeaving() && nowNanos - leavesNanos >= 0;
    }

    /** Somebody has asked for it. */
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

    /** A block has come, and lies ready until its reader takes it. */
    void holds(int bytes) {
        held += bytes;
    }

    /** So much is not ready any more: the server may send as much again. */
    void taken(int bytes, long nowNanos) {
        held -= bytes;
        grant(bytes, nowNanos);
    }

    /**
     * Grants the server this number of bytes more: not at once, as each grant wakes the server, but before it could
     * lack them for a block as large as the previous ones.
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

    /** Grants all that was taken if nothing has come for this time: the next block may be larger than any before. */
    void grantIfQuiet(long nowNanos, long forNanos) {
        if (nowNanos - broughtNanos >= forNanos) {
            grantAll(nowNanos);
        }
    }

    /** A block has come. */
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

    /** The server is there. */
    void heard(long nowNanos) {
        isPinged = false;
        heardNanos = nowNanos;
    }

    /** Asks the server whether it is there, if nothing has come from it for half of a time. */
    void ping(long nowNanos, long mostNanos) {
        if (isOpen() && !isPinged && nowNanos - heardNanos > mostNanos / 2) {
            isPinged = true;
            ping();
        }
    }

    /** Returns whether nothing was heard for too long: opening it may take twice as long as an answer. */
    boolean isSilent(long nowNanos, long mostNanos) {
        return nowNanos - heardNanos > (isOpen() ? mostNanos + mostNanos / 2 : 2 * mostNanos);
    }

    /** Returns whether it was not needed for this time; at once if it is leaving. */
    boolean isIdle(long nowNanos, long forNanos) {
        return lanes.isEmpty() && (isLeaving() || (isOpen() && nowNanos - usedNanos > forNanos));
    }
}
