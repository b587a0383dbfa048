// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.server;

import org.jspecify.annotations.Nullable;
import org.talos.server.memory.MemoryBudget;

/**
 * The memory of one request's frame. While the frame is read, the memory counts for no user, because only the frame
 * names the user. A connection reads one frame at a time. After that it counts for the user until the request is
 * answered.
 *
 * <p>Confined: one thread at a time.
 */
final class FrameMemory {
    private final MemoryBudget budget;
    private long bytes; // reserved
    private MemoryBudget.@Nullable Share share; // once the user is known

    private FrameMemory(MemoryBudget budget, long bytes) {
        this.budget = budget;
        this.bytes = bytes;
    }

    /** Reserves the memory of a frame; null if there is none. To be returned with {@link #release}. */
    static @Nullable FrameMemory tryReserve(MemoryBudget budget, long bytes) {
        return budget.tryReserve(bytes) ? new FrameMemory(budget, bytes) : null;
    }

    /** Counts the memory for a user from now on; false, and nothing is reserved anymore, if the user has too much. */
    boolean tryCountFor(String user) {
        MemoryBudget.Share ofUser = budget.of(user);
        long frame = bytes;
        release(); // first: otherwise it would count twice
        if (!ofUser.tryReserve(frame)) {
            return false;
        }
        share = ofUser;
        bytes = frame;
        return true;
    }

    /** Releases the reservation. May be called twice. */
    void release() {
        long reserved = bytes;
        bytes = 0;
        MemoryBudget.Share ofUser = share;
        if (ofUser == null) {
            budget.release(reserved);
        } else {
            ofUser.release(reserved);
        }
    }
}
