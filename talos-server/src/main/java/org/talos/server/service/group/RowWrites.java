// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import org.talos.common.error.TalosException;
import org.talos.server.auth.quota.TokenBucket;
import org.talos.server.runtime.time.Ticker;
import org.talos.thrift.ErrorCode;

/**
 * Limits the rate at which one user's changes write the rows of groups. A change writes and syncs the whole row of its
 * group, and a client may lock and release a partition in a loop.
 *
 * <p>Thread-safe.
 */
public final class RowWrites {
    /** The rate of one user at one server. */
    static final long BYTES_PER_SECOND = 4 << 20;

    /**
     * Long enough for all members of a user to join at once, and to lock a partition each. A group writes its row for
     * every join and lock: 190 to 400 MiB for a thousand members, by the length of their ids, and 1.8 GiB for 100,000
     * members in groups of a hundred.
     */
    static final Duration BURST = Duration.ofSeconds(512);

    /** The counted size of a smaller row: the disk writes and syncs a block for it. */
    private static final long LEAST_BYTES = 4 << 10;

    private static final int MAX_USERS = 10_000;

    private final Ticker ticker;
    private final Cache<String, TokenBucket> users = Caffeine.newBuilder()
            .maximumSize(MAX_USERS)
            .executor(Runnable::run) // no thread of the JVM's common pool
            .build();

    public RowWrites(Ticker ticker) {
        this.ticker = ticker;
    }

    /**
     * Counts a row that a user is about to write.
     *
     * @throws TalosException THROTTLE_REJECT_ERROR: the user has written more than the rate allows
     */
    void take(String user, long rowBytes) {
        long now = ticker.nanos();
        TokenBucket bucket = users.asMap().computeIfAbsent(user, id -> new TokenBucket(BYTES_PER_SECOND, BURST, now));
        long wait = bucket.waitNanos(now);
        if (wait > 0) {
            throw TalosException.refusedFor(
                    Duration.ofNanos(wait),
                    ErrorCode.THROTTLE_REJECT_ERROR,
                    "your groups change too often: joins and locks of yours write more than " + (BYTES_PER_SECOND >> 20)
                            + " MiB a second at this server");
        }
        bucket.take(Math.max(LEAST_BYTES, rowBytes), now);
    }
}
