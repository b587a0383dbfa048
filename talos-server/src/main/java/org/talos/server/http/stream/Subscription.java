// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.stream;

import org.talos.server.runtime.client.Presence;
import org.talos.server.runtime.client.SeenPresence;

/** Where the reader of one partition is. Confined: its stream. */
final class Subscription {
    /** The value for an unknown end. */
    private static final long UNKNOWN = Long.MAX_VALUE;

    private final int partition;
    private long next;
    private long end = UNKNOWN; // one past the newest message, as the last read has found it
    private long lacks = 1; // credit without which a read would be for nothing
    private long taken; // of the credit, by the read that is under way
    private boolean underWay;
    private final SeenPresence presence = new SeenPresence();

    /** @param from an offset, or a special value */
    Subscription(int partition, long from) {
        this.partition = partition;
        next = from;
    }

    int partition() {
        return partition;
    }

    /** First offset that the client has not been sent. */
    long next() {
        return next;
    }

    void next(long offset) {
        next = offset;
    }

    /** Handles the result of a read. */
    void foundEnd(long offset) {
        end = offset;
    }

    /** Returns whether there is nothing to read except future puts. */
    boolean isAtEnd() {
        return next >= end;
    }

    long lacks() {
        return lacks;
    }

    void lacks(long credit) {
        lacks = credit;
    }

    /** Begins a read, which takes this part of the credit. */
    void begin(long credit) {
        underWay = true;
        taken = credit;
    }

    /** Ends it, and releases its memory. */
    long finish() {
        long back = taken;
        underWay = false;
        taken = 0;
        return back;
    }

    boolean isUnderWay() {
        return underWay;
    }

    /** The presence of its reader, until it is dropped. */
    Presence presence() {
        return presence;
    }

    /** The client has ended or moved it: a waiting read ends, and the result of a running one is dropped. */
    void drop() {
        presence.leave();
    }

    boolean isCurrent() {
        return !presence.isGone();
    }
}
