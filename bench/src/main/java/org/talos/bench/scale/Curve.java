// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.scale;

import static org.talos.bench.report.Text.format;

import java.util.List;
import java.util.Locale;

/** The quantities that grow while all else stays as it is. Immutable. */
enum Curve {
    PARTITIONS("partitions"),
    PRODUCERS("producers"),
    SIZE("bytes of a message"),
    KEPT("MB kept");

    private static final long MIB = 1 << 20;

    private final String title;

    Curve(String title) {
        this.title = title;
    }

    /** Returns the unit of its points. */
    String title() {
        return title;
    }

    /** As it is typed, and begins the names of cases. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The points that are measured unless others are asked for, from small to large. */
    List<Long> points() {
        return switch (this) {
            case PARTITIONS -> List.of(1L, 10L, 100L, 1_000L, 10_000L);
            case PRODUCERS -> List.of(1L, 10L, 50L, 100L, 200L, 500L, 1_000L, 2_000L);
            case SIZE -> List.of(100L, 1_000L, 10_000L, 100_000L, MIB, 4 * MIB, 10 * MIB);
            case KEPT -> List.of(1_000L, 3_000L, 10_000L, 30_000L, 100_000L);
        };
    }

    /** Fewer of them, for a quick look. */
    List<Long> fewPoints() {
        return switch (this) {
            case PARTITIONS -> points();
            case PRODUCERS -> List.of(1L, 10L, 100L, 500L, 2_000L);
            case SIZE -> List.of(100L, 1_000L, 10_000L, 100_000L, MIB, 10 * MIB);
            case KEPT -> List.of(1_000L, 2_000L, 4_000L);
        };
    }

    /** The name of a point in the report. */
    String caseName(long point) {
        return format("%s %,d", label(), point);
    }

    /** By which figure it is judged: bytes where the size of a request grows, else requests. */
    String judgedBy() {
        return this == SIZE ? ScalePoint.MEGABYTES : ScalePoint.RATE;
    }

    /**
     * Returns whether its points can be measured in any order on one server: neither partitions nor kept data shrink.
     */
    boolean goesBothWays() {
        return this == PRODUCERS || this == SIZE;
    }
}
