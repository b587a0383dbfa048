// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** The random choices of faults, from a seed. Confined: the main thread. */
final class Dice {
    /** Longer than sessions, leases and client timeouts. */
    static final Duration LONG = Duration.ofSeconds(40);

    private final Random random;
    private final boolean brief;

    /** @param brief limits all times */
    Dice(long seed, boolean brief) {
        random = new Random(seed);
        this.brief = brief;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    boolean coin() {
        return random.nextBoolean();
    }

    int oneOf(int... choices) {
        return choices[random.nextInt(choices.length)];
    }

    /** A random time up to that, in a short run up to 8 s. */
    Duration upTo(int seconds) {
        return Duration.ofMillis(random.nextInt((brief ? Math.min(seconds, 8) : seconds) * 1_000));
    }

    void shuffle(List<?> list) {
        Collections.shuffle(list, random);
    }
}
