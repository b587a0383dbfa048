// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import static org.talos.bench.report.Text.format;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The settings of the comparison of {@code auto} workers with fixed numbers. Immutable.
 *
 * @param fixed numbers of workers
 * @param pairs of measures on each store: of auto, and of the best fixed number
 * @param longestWarmUp of each server, once: it ends when the server's compilers are quiet
 * @param measured each point
 */
record AutoCapacitySettings(
        List<Integer> fixed, int pairs, Duration longestWarmUp, Settling settling, Duration measured) {
    /**
     * The load before what is measured. Immutable.
     *
     * @param usual on a store that holds nothing up
     * @param heldUp on one that does
     * @param before load before the store changes
     * @param changing load after that
     */
    record Settling(Duration usual, Duration heldUp, Duration before, Duration changing) {}

    /** Puts in flight, each of a partition of its own. */
    static final int KEYS = 120;

    static final int MESSAGE_BYTES = 1_024;

    /** An append that is held up takes three. */
    private static final int HELD_UP_SECONDS = 4;

    private static final int ROUNDS_OF_BEST = 3;

    /** Until a pool of as many workers as keys has as few as the local store needs, a quarter each two seconds. */
    private static final int CHANGING_SECONDS = 28;

    /** @param seconds and warmUp, 0 for the usual ones */
    static AutoCapacitySettings of(boolean brief, int seconds, int warmUp) {
        int measured = seconds > 0 ? seconds : 2;
        int warm = warmUp > 0 ? warmUp : brief ? 60 : 120;
        // Of a run that only shows that it works, nothing else takes long either.
        int settling = Math.min(HELD_UP_SECONDS, warm);
        return new AutoCapacitySettings(
                brief ? List.of(4, 32, 128) : List.of(4, 16, 64, 128),
                seconds > 0 ? 2 : brief ? 20 : 40,
                Duration.ofSeconds(warm),
                new Settling(
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(settling),
                        Duration.ofSeconds(settling),
                        Duration.ofSeconds(settling < HELD_UP_SECONDS ? settling : CHANGING_SECONDS)),
                Duration.ofSeconds(measured));
    }

    /** Load before what is measured. */
    Duration settling(StoreKind kind) {
        return kind == StoreKind.HELD_UP ? settling.heldUp : settling.usual;
    }

    /** Measures of each fixed number that find the best. */
    int roundsOfBest() {
        return pairs < ROUNDS_OF_BEST ? 1 : ROUNDS_OF_BEST;
    }

    /** There are six changes, and each takes long. */
    int pairsOfChanges() {
        return Math.max(1, pairs / 2);
    }

    SortedMap<String, String> shown(Pinning pinning, List<String> jvm) throws IOException {
        return new TreeMap<>(Map.of(
                "fixed workers", fixed + ", the best of them in " + pairs + " pairs with auto",
                "keys in flight", Integer.toString(KEYS),
                "message bytes", Integer.toString(MESSAGE_BYTES),
                "measured s", Long.toString(measured.toSeconds()),
                "warm-up", format("until the compilers are quiet, at most %d s", longestWarmUp.toSeconds()),
                "settling s",
                        format(
                                "%d, where appends are held up %d, after a change %d",
                                settling.usual.toSeconds(), settling.heldUp.toSeconds(), settling.changing.toSeconds()),
                "processors", pinning.describe(),
                "hdfs-like append ms mean", format("%.1f", Delays.hflush().meanMillis()),
                "held-up append s", Long.toString(SwitchedDelays.HELD_UP_NANOS / 1_000_000_000),
                "server options", String.join(" ", jvm)));
    }
}
