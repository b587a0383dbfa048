// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Generates unique values, and encodes them as bytes in which any damage shows.
 *
 * <p>Thread-safe.
 */
final class Values {
    private static final char END = ':';
    private static final int MOST_FILLER = 200;
    private static final int MOST_OF_LARGE = 8_000;
    private static final int LARGE_ONE_IN = 64;
    private static final int LETTERS = 26;

    private final String prefix;
    private final AtomicLong next = new AtomicLong();

    /** Values of one run. */
    Values(long seed) {
        prefix = Long.toString(seed, Character.MAX_RADIX) + "-";
    }

    /** Returns a value never returned before. */
    String next() {
        return prefix + next.incrementAndGet();
    }

    /** Encodes a value: the value itself, and a filler derived from it. */
    static String body(String value) {
        SplittableRandom random = new SplittableRandom(value.hashCode());
        StringBuilder body = new StringBuilder(value).append(END);
        int most = random.nextInt(LARGE_ONE_IN) == 0 ? MOST_OF_LARGE : MOST_FILLER;
        for (int left = random.nextInt(most); left > 0; left--) {
            body.append((char) ('a' + random.nextInt(LETTERS)));
        }
        return body.toString();
    }

    /** Decodes a value; bytes that are not intact give a value that was never sent. */
    static String value(String body) {
        int end = body.indexOf(END);
        String value = end < 0 ? body : body.substring(0, end);
        return end >= 0 && body(value).equals(body) ? value : "damaged " + value;
    }
}
