// SPDX-License-Identifier: Apache-2.0
package org.talos.server.memory;

/**
 * The memory of clients that have not shown a key. Each network has a share. Together they hold at most a quarter of
 * the memory of requests, so they never use up the memory of users. Signing in has memory of its own, so that requests
 * of others keep no user out. A site may hold a part of its free memory: many users of one address, as behind a NAT,
 * can sign in at once, and strangers need a hundred sites to keep others out.
 *
 * <p>Thread-safe.
 */
public final class AnonymousMemory {
    private static final int PART_OF_REQUESTS = 4;

    private static final int SIGN_INS_TO_REQUESTS = 16;

    /** Enough for 170 usual sign-ins at once, or 28 with the largest heads. */
    private static final long LEAST_SIGN_IN_BYTES = 1 << 20;

    /** With 256 MiB for requests, enough for 80 usual sign-ins of one site at once. */
    private static final int SIGN_IN_PARTS = 32;

    /** Enough for one sign-in with the largest head, or ten usual ones at once. */
    private static final long SIGN_IN_FLOOR_BYTES = 64 << 10;

    private final MemoryBudget requests;
    private final MemoryBudget signIns;

    /** Creates a part of the memory that all requests share, and some besides to sign in. */
    public AnonymousMemory(MemoryBudget all) {
        requests = all.part(all.limit() / PART_OF_REQUESTS);
        signIns = MemoryBudget.inParts(
                Math.max(LEAST_SIGN_IN_BYTES, all.limit() / SIGN_INS_TO_REQUESTS), SIGN_IN_PARTS, SIGN_IN_FLOOR_BYTES);
    }

    /** Returns the memory for clients of a network. */
    public MemoryBudget.Share of(String network) {
        return requests.of(network);
    }

    /** Returns the memory for clients of a site while they sign in. */
    public MemoryBudget.Share signingIn(String site) {
        return signIns.of(site);
    }
}
