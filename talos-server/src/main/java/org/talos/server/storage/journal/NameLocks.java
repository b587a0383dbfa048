// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.talos.server.storage.SegmentName;

/**
 * A lock for each segment that a thread works on. Recovering one takes as long as a lease does, and must delay no
 * other: so no two names share a lock.
 *
 * <p>Thread-safe.
 */
final class NameLocks {
    private final Map<SegmentName, Users> locks = new ConcurrentHashMap<>();

    /** A lock, and the number of threads that hold it or wait for it. Changed inside the map's computations only. */
    private static final class Users {
        private final ReentrantLock lock = new ReentrantLock();
        private int count;
    }

    /** Waits until no other thread works on the segment. Call {@link #leave} afterwards, on the same thread. */
    void enter(SegmentName name) {
        Users entered = locks.compute(name, (same, known) -> {
            Users users = known == null ? new Users() : known;
            users.count++;
            return users;
        });
        entered.lock.lock();
    }

    /** Lets the next one at the segment. */
    void leave(SegmentName name) {
        locks.computeIfPresent(name, (same, users) -> {
            users.lock.unlock();
            users.count--;
            return users.count == 0 ? null : users;
        });
    }

    /** Segments that somebody is busy with. */
    int size() {
        return locks.size();
    }
}
