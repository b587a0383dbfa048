// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.util.Optional;
import java.util.SortedMap;
import org.HdrHistogram.Histogram;
import org.talos.bench.report.Measure;

/**
 * The measurements of one run of a loop. Immutable, but for the histogram and the timeline, which belong to the caller.
 *
 * @param latency nanoseconds of the requests that ended within the measured time
 * @param measuredNanos how long was measured
 * @param succeeded of all requests, those of the warm-up and the end as well
 * @param failed of all requests
 * @param firstFailure what went wrong first
 * @param timeline all requests that counted, by the second in which they ended
 */
public record LoadResult(
        Histogram latency,
        long measuredNanos,
        long succeeded,
        long failed,
        Optional<String> firstFailure,
        Timeline timeline) {
    /** Measurements without times of the requests. */
    public LoadResult(
            Histogram latency, long measuredNanos, long succeeded, long failed, Optional<String> firstFailure) {
        this(latency, measuredNanos, succeeded, failed, firstFailure, new Timeline());
    }

    /** Requests a second, of those measured. */
    public double perSecond() {
        return latency.getTotalCount() * 1e9 / measuredNanos;
    }

    /** These measurements as a {@link Measure} for a report. */
    public Measure measure(String caseName, int round, String operation, SortedMap<String, Double> figures) {
        return new Measure(caseName, round, operation, latency, measuredNanos / 1e9, succeeded, failed, figures);
    }
}
