// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.moves;

import static org.talos.bench.report.Text.format;

import java.util.List;

/**
 * The times for which partitions were without a server in the course of an operation. Immutable.
 *
 * @param round from 1
 * @param affected nanoseconds, of each partition that the operation concerns
 * @param others of each other partition
 */
record Outages(Operation operation, int round, List<Long> affected, List<Long> others) {
    private static final double NANOS = 1e9;

    Outages {
        affected = List.copyOf(affected);
        others = List.copyOf(others);
    }

    private static long longest(List<Long> nanos) {
        return nanos.stream().mapToLong(each -> each).max().orElse(0);
    }

    /** The longest of the partitions that the operation concerns. */
    long longest() {
        return longest(affected);
    }

    /** The longest of the others. */
    long longestOther() {
        return longest(others);
    }

    /** Returns the line that is shown as soon as it is over. */
    String line() {
        return format(
                "round %d: %s: %d partitions, at most %.2f s; others at most %.2f s",
                round, operation.label(), affected.size(), longest() / NANOS, longestOther() / NANOS);
    }
}
