// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import java.util.List;

/** The unit of a histogram's values: as recorded, and as shown. Immutable. */
enum Unit {
    /** Recorded in nanoseconds, shown in seconds. */
    SECONDS(1e9),
    BYTES(1),
    TASKS(1);

    /** So close that a quantile interpolated between two of them is off by a quarter at most. */
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

    /** Converts a recorded value to the shown unit. */
    double shown(double recorded) {
        return recorded / recordedInOne;
    }

    /** Upper bounds of the buckets, in the shown unit. */
    List<Double> bounds() {
        return switch (this) {
            case SECONDS -> SECONDS_BOUNDS;
            case BYTES -> BYTES_BOUNDS;
            case TASKS -> TASKS_BOUNDS;
        };
    }

    /** Converts a shown value to the recorded unit. */
    long recorded(double shown) {
        return (long) (shown * recordedInOne);
    }
}
