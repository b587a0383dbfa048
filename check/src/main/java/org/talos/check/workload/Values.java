// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Values that are never sent twice, and the bytes that carry them, by which one sees whether they have been damaged.
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

    /** A new one. */
    String next() {
        return prefix + next.incrementAndGet();
    }

    /** What is sent for it: itself, and a filler that is known by it. */
    static String body(String value) {
        SplittableRandom random = new SplittableRandom(value.hashCode());
        StringBuilder body = new StringBuilder(value).append(END);
        int most = random.nextInt(LARGE_ONE_IN) == 0 ? MOST_OF_LARGE : MOST_FILLER;
        for (int left = random.nextInt(most); left > 0; left--) {
            body.append((char) ('a' + random.nextInt(LETTERS)));
        }
        return body.toString();
    }

    /** The value that was read; one that nobody sent if the bytes are not those of it. */
    static String value(String body) {
        int end = body.indexOf(END);
        String value = end < 0 ? body : body.substring(0, end);
        return end >= 0 && body(value).equals(body) ? value : "damaged " + value;
    }
}
