// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.idle;

import static org.talos.bench.report.Text.format;

import java.util.ArrayList;
import java.util.List;

/** Holds how long things took. Confined: the main thread. */
final class Latencies {
    private final List<Long> nanos = new ArrayList<>();

    void add(List<Long> more) {
        nanos.addAll(more);
    }

    /** The figures, in words. */
    String described() {
        if (nanos.isEmpty()) {
            return "no answer";
        }
        List<Long> sorted = nanos.stream().sorted().toList();
        return format(
                "P50 %.2f ms, P99 %.2f ms, most %.2f ms of %d",
                at(sorted, 0.50), at(sorted, 0.99), at(sorted, 1), sorted.size());
    }

    private static double at(List<Long> sorted, double share) {
        int index = (int) Math.ceil(share * sorted.size()) - 1;
        return sorted.get(Math.max(0, index)) / 1e6;
    }
}
