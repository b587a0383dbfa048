// SPDX-License-Identifier: Apache-2.0
package org.talos.server.memory;

/**
 * The memory of clients that have not shown a key. Each network has a share. Together they hold at most a quarter of
 * what requests may hold, so they never use up the memory of users. Signing in has memory of its own, so that nobody
 * else's requests keep a user out. A network has little of that, so that a few networks keep nobody out.
 *
 * <p>Thread-safe.
 */
public final class AnonymousMemory {
    private static final int PART_OF_REQUESTS = 4;

    private static final int SIGN_INS_TO_REQUESTS = 16;

    /** Enough for 170 usual sign-ins at once, or 28 with the largest heads. */
    private static final long LEAST_SIGN_IN_BYTES = 1 << 20;

    /** Enough for one sign-in with the largest head, or ten usual ones at once. */
    private static final long SIGN_IN_BYTES_OF_NETWORK = 64 << 10;

    private final MemoryBudget requests;
    private final MemoryBudget signIns;

    /** A part of the memory that all requests share, and some besides to sign in. */
    public AnonymousMemory(MemoryBudget all) {
        requests = all.part(all.limit() / PART_OF_REQUESTS);
        signIns = MemoryBudget.withMostOfUser(
                Math.max(LEAST_SIGN_IN_BYTES, all.limit() / SIGN_INS_TO_REQUESTS), SIGN_IN_BYTES_OF_NETWORK);
    }

    /** Returns what clients of a network may hold. */
    public MemoryBudget.Share of(String network) {
        return requests.of(network);
    }

    /** Returns what clients of a network may hold while they sign in. */
    public MemoryBudget.Share signingIn(String network) {
        return signIns.of(network);
    }
}
