// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.transfer;

import java.time.Duration;

/** The times for which each case runs in each round. Immutable. */
record Times(Duration warmUp, Duration measured) {
    /** Creates times from seconds. */
    static Times of(double warmUp, double measured) {
        return new Times(duration(warmUp), duration(measured));
    }

    private static Duration duration(double seconds) {
        return Duration.ofNanos(Math.round(seconds * 1e9));
    }

    double measuredSeconds() {
        return measured.toNanos() / 1e9;
    }
}
