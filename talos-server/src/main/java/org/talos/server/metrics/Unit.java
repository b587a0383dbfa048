// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import java.util.List;

/** What the values of a histogram are recorded in, and what they are shown in. */
enum Unit {
    /** Recorded in nanoseconds, shown in seconds. */
    SECONDS(1e9),
    BYTES(1),
    TASKS(1);

    /** Close enough that a quantile read between two of them is off by a quarter at most. */
    private static final List<Double> SECONDS_BOUNDS = List.of(
            1e-4, 1.5e-4, 2e-4, 3e-4, 5e-4, 7.5e-4, 1e-3, 1.5e-3, 2e-3, 3e-3, 5e-3, 7.5e-3, 1e-2, 1.5e-2, 2e-2, 3e-2,
            5e-2, 7.5e-2, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 7.5, 10.0, 15.0, 30.0);

    private static final List<Double> BYTES_BOUNDS = List.of(
            256.0, 1024.0, 4096.0, 16_384.0, 65_536.0, 262_144.0, 1_048_576.0, 4_194_304.0, 16_777_216.0, 67_108_864.0);
    private static final List<Double> TASKS_BOUNDS =
            List.of(1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0);

    private final double recordedInOne;

    Unit(double recordedInOne) {
        this.recordedInOne = recordedInOne;
    }

    /** A recorded value as it is shown. */
    double shown(double recorded) {
        return recorded / recordedInOne;
    }

    /** Upper ends of the buckets, as they are shown. */
    List<Double> bounds() {
        return switch (this) {
            case SECONDS -> SECONDS_BOUNDS;
            case BYTES -> BYTES_BOUNDS;
            case TASKS -> TASKS_BOUNDS;
        };
    }

    /** A shown value as it is recorded. */
    long recorded(double shown) {
        return (long) (shown * recordedInOne);
    }
}
