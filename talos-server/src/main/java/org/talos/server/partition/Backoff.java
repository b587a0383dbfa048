// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import java.time.Duration;

/** The pause before a failed step for a partition is retried: twice as long each time. Immutable. */
final class Backoff {
    static final Duration FIRST = Duration.ofMillis(100);

    private static final Duration LAST = Duration.ofSeconds(10);

    private Backoff() {}

    /** Returns the pause after the next failure. */
    static Duration after(Duration pause) {
        return after(pause, LAST);
    }

    /** Returns the doubled pause, up to the maximum. */
    static Duration after(Duration pause, Duration longest) {
        Duration doubled = pause.multipliedBy(2);
        return doubled.compareTo(longest) > 0 ? longest : doubled;
    }
}
