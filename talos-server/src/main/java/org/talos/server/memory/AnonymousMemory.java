// SPDX-License-Identifier: Apache-2.0
package org.talos.server.memory;

/**
 * The memory of clients that have not shown a key. Each network has a share. Together they hold at most a quarter of
 * what requests may hold, so they never use up the memory of users. Signing in has memory of its own, so that nobody
 * else's requests keep a user out.
 *
 * <p>Thread-safe.
 */
public final class AnonymousMemory {
    private static final int PART_OF_REQUESTS = 4;

    /** Enough for 170 sign-ins at once. */
    private static final long SIGN_IN_BYTES = 1 << 20;

    private final MemoryBudget requests;
    private final MemoryBudget signIns = new MemoryBudget(SIGN_IN_BYTES);

    /** A part of the memory that all requests share. */
    public AnonymousMemory(MemoryBudget all) {
        requests = all.part(all.limit() / PART_OF_REQUESTS);
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
