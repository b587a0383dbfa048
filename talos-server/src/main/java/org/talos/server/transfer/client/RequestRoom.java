// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import org.talos.server.memory.MemoryBudget;

/**
 * Room for requests to another server, shared by user like the bytes of a {@link MemoryBudget}: a user may hold as many
 * places as remain free, and always one if any place is free. So no user takes the last place that other users need.
 *
 * <p>Thread-safe.
 */
final class RequestRoom {
    private final MemoryBudget places; // counts requests, not bytes

    RequestRoom(int most) {
        places = new MemoryBudget(most);
    }

    /** Takes a place for a request of the user, to be returned with {@link #leave}; false if there is none for them. */
    boolean tryEnter(String user) {
        return places.of(user).tryReserve(1);
    }

    void leave(String user) {
        places.of(user).release(1);
    }
}
