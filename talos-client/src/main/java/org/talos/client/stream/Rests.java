// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Which servers are not asked for a stream now: after each that failed a longer while, random, so that not all clients
 * come back at once. One that has answered that it has no stream is left alone for longer than one that is away.
 *
 * <p>Confined: the lock of its {@link StreamPuts} or {@link StreamReads}.
 */
final class Rests {
    private static final int DOUBLINGS = 16;
    private static final Duration BROKEN = Duration.ofMillis(100);
    private static final Duration BROKEN_AT_MOST = Duration.ofSeconds(5);
    private static final Duration REFUSED = Duration.ofSeconds(30);
    private static final Duration REFUSED_AT_MOST = Duration.ofMinutes(10);
    private static final Duration ELSEWHERE = Duration.ofSeconds(1);
    private static final int TRY_AGAIN = 500; // statuses from here on tell of the moment, not of the server

    private final RandomGenerator random;
    private final Map<URI, Rest> rests = new HashMap<>();
    private long allUntilNanos;
    private @Nullable URI broken; // the last one
    private long othersUntilNanos;

    /** Immutable. */
    private record Rest(int failures, long untilNanos) {}

    Rests(RandomGenerator random, long nowNanos) {
        this.random = random;
        allUntilNanos = nowNanos;
        othersUntilNanos = nowNanos;
    }

    /** Lets no server be asked before a time: a server that stops has sent its clients the time for the others. */
    void allUntil(long nanos) {
        allUntilNanos = nanos;
    }

    /** Returns whether a server may be asked now. */
    boolean mayOpen(URI server, long nowNanos) {
        Rest rest = rests.get(server);
        boolean isTurn = server.equals(broken) || nowNanos - othersUntilNanos >= 0;
        return isTurn && nowNanos - allUntilNanos >= 0 && (rest == null || nowNanos - rest.untilNanos >= 0);
    }

    /** A stream has worked. */
    void worked(URI server) {
        rests.remove(server);
    }

    /**
     * A stream could not be opened, or is broken: also the others are left alone for a moment, as a server that has
     * died sends all its clients to them.
     */
    void failed(URI server, IOException why, long nowNanos) {
        Rest before = rests.get(server);
        int failures = before == null ? 0 : before.failures;
        boolean isRefused = why instanceof UpgradeRefusedException refused && refused.status() < TRY_AGAIN;
        long longest = (isRefused ? REFUSED_AT_MOST : BROKEN_AT_MOST).toNanos();
        long bound = Math.min(longest, (isRefused ? REFUSED : BROKEN).toNanos() << Math.min(failures, DOUBLINGS));
        if (!isRefused) {
            broken = server;
            othersUntilNanos = nowNanos + random.nextLong(ELSEWHERE.toNanos() + 1);
        }
        rests.put(server, new Rest(failures + 1, nowNanos + bound / 2 + random.nextLong(bound / 2 + 1)));
    }
}
