// SPDX-License-Identifier: Apache-2.0
package org.talos.common.name;

import java.util.List;
import java.util.Optional;

/**
 * How unevenly a topic's partitions are filled. Immutable.
 *
 * @param partition the one that has most
 * @param share its part of all, 0 to 1, to four digits
 * @param mean the part of each if all had the same
 */
public record Skew(int partition, double share, double mean) {
    private static final double PRECISION = 10_000;

    /** Returns the skew of partitions that have so much each, numbered from 0; empty if all are empty. */
    public static Optional<Skew> of(List<Long> amounts) {
        int largest = 0;
        long sum = 0;
        for (int i = 0; i < amounts.size(); i++) {
            sum += amounts.get(i);
            largest = amounts.get(i) > amounts.get(largest) ? i : largest;
        }
        return sum == 0
                ? Optional.empty()
                : Optional.of(
                        new Skew(largest, rounded((double) amounts.get(largest) / sum), rounded(1.0 / amounts.size())));
    }

    private static double rounded(double share) {
        return Math.round(share * PRECISION) / PRECISION;
    }
}
