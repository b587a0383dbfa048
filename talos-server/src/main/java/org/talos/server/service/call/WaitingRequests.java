// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.talos.common.error.TalosException;
import org.talos.thrift.ErrorCode;

/**
 * Counts the requests of each user that may wait for messages, and refuses those beyond a bound: long polls, fetches of
 * groups, and event streams between two events.
 *
 * <p>Thread-safe.
 */
public final class WaitingRequests {
    private final int most;
    /** There is one for each user that ever was. */
    private final ConcurrentMap<String, AtomicInteger> byUser = new ConcurrentHashMap<>();

    /** So many of each user. */
    public WaitingRequests(int most) {
        this.most = most;
    }

    /**
     * Counts a request until {@link #leave}.
     *
     * @throws TalosException THROTTLE_REJECT_ERROR: the user has as many as there may be
     */
    void enter(String userId) {
        AtomicInteger waiting = of(userId);
        if (waiting.incrementAndGet() > most) {
            waiting.decrementAndGet();
            throw tooMany();
        }
    }

    void leave(String userId) {
        of(userId).decrementAndGet();
    }

    /**
     * Checks that there is room for one more.
     *
     * @throws TalosException THROTTLE_REJECT_ERROR
     */
    public void requireRoom(String userId) {
        if (of(userId).get() >= most) {
            throw tooMany();
        }
    }

    private AtomicInteger of(String userId) {
        return byUser.computeIfAbsent(userId, each -> new AtomicInteger());
    }

    private TalosException tooMany() {
        return TalosException.refused(
                ErrorCode.THROTTLE_REJECT_ERROR,
                most + " requests of yours wait for messages at this server (http.limits.waitingPerUser)");
    }
}
