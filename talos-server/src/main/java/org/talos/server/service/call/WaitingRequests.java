// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.talos.common.error.TalosException;
import org.talos.thrift.ErrorCode;

/**
 * Counts each user's requests that may wait for messages, and refuses those beyond a limit: long polls, fetches of
 * groups, and event streams between two events.
 *
 * <p>Thread-safe.
 */
public final class WaitingRequests {
    private final int most;
    /** A user without waiting requests has no entry: clients may choose ids, so entries must not stay. */
    private final ConcurrentMap<String, Integer> byUser = new ConcurrentHashMap<>();

    /** The most requests of each user. */
    public WaitingRequests(int most) {
        this.most = most;
    }

    /**
     * Counts a request until {@link #leave}.
     *
     * @throws TalosException THROTTLE_REJECT_ERROR: the user has the maximum already
     */
    void enter(String userId) {
        byUser.compute(userId, (id, before) -> {
            int waiting = before == null ? 0 : before;
            if (waiting >= most) {
                throw tooMany(); // leaves the entry as it is
            }
            return waiting + 1;
        });
    }

    void leave(String userId) {
        byUser.computeIfPresent(userId, (id, waiting) -> waiting == 1 ? null : waiting - 1);
    }

    /**
     * Checks that there is room for one more.
     *
     * @throws TalosException THROTTLE_REJECT_ERROR
     */
    public void requireRoom(String userId) {
        if (byUser.getOrDefault(userId, 0) >= most) {
            throw tooMany();
        }
    }

    /** Returns the number of users with waiting requests. */
    int users() {
        return byUser.size();
    }

    private TalosException tooMany() {
        return TalosException.refused(
                ErrorCode.THROTTLE_REJECT_ERROR,
                most + " requests of yours wait for messages at this server (http.limits.waitingPerUser)");
    }
}
