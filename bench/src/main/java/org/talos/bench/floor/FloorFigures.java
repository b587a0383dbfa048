// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import org.talos.bench.load.LoadResult;

/**
 * The figures of one case in one round. Immutable.
 *
 * @param serverCpuSeconds that the server's process used while it was measured
 * @param clientCpuSeconds that this process used meanwhile
 * @param stored messages that the server has at the end; as many as were acknowledged, or it has lost some
 */
record FloorFigures(
        FloorCase what, int round, LoadResult load, double serverCpuSeconds, double clientCpuSeconds, long stored) {
    private static final double NANOS_PER_MILLI = 1e6;

    double perSecond() {
        return load.perSecond();
    }

    double meanMillis() {
        return load.latency().getMean() / NANOS_PER_MILLI;
    }

    double percentileMillis(double percentile) {
        return load.latency().getValueAtPercentile(percentile) / NANOS_PER_MILLI;
    }

    double serverCpuPerThousand() {
        return serverCpuSeconds * 1_000 / Math.max(1, load.latency().getTotalCount());
    }

    double clientCpuPerThousand() {
        return clientCpuSeconds * 1_000 / Math.max(1, load.latency().getTotalCount());
    }

    /** Whether nothing failed and everything that was acknowledged is there, once. */
    boolean sound() {
        return load.failed() == 0 && stored == load.succeeded();
    }
}
