// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

/**
 * Counts the work of regular expressions in one slice, which ends early once it is enough: the rest of the slice is
 * read again, and counts again. Otherwise an expensive expression would hold its thread for minutes at a large block.
 *
 * <p>Confined: one slice.
 */
final class SearchWork {
    /** In bytes times instructions of the expression: less than a second. */
    static final long MOST_STEPS = 64L << 20;

    private long steps;

    void add(long more) {
        steps += more;
    }

    boolean isEnough() {
        return steps >= MOST_STEPS;
    }
}
