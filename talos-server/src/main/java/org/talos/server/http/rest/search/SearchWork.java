// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.search;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Counts the work of conditions in one slice, which ends early once it is enough: the rest of the slice is read again,
 * and counts again. Otherwise expensive conditions would hold their thread for minutes at a large block. Work is only
 * compared between messages, so that of one message is bounded, too: for each condition here, and for all of them by
 * the size of their expressions.
 *
 * <p>Confined: one slice.
 */
final class SearchWork {
    /** In bytes that conditions read, those of an expression times its instructions: less than a second. */
    static final long MOST_STEPS = 64L << 20;

    private long steps;
    private int matchable = TextTest.MAX_MATCHED_BYTES; // bytes that are left to the expression of a condition

    /** Begins the next condition of a message. */
    void beginCondition() {
        matchable = TextTest.MAX_MATCHED_BYTES;
    }

    void add(long more) {
        steps += more;
    }

    /**
     * Counts the search of an expression in a text.
     *
     * @return the beginning of the text that is searched; empty if the condition has searched enough of this message
     */
    Optional<ByteBuffer> beginning(ByteBuffer utf8, int instructions) {
        if (matchable <= 0) {
            return Optional.empty();
        }
        ByteBuffer beginning = utf8.slice(utf8.position(), Math.min(utf8.remaining(), matchable));
        int bytes = beginning.remaining() + 1; // an empty text takes time, too, and a message may have many
        matchable -= bytes;
        steps += (long) bytes * instructions;
        return Optional.of(beginning);
    }

    boolean isEnough() {
        return steps >= MOST_STEPS;
    }
}
