// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import org.talos.server.runtime.thread.BackgroundPool;

/** The metrics of the pools of background work. Thread-safe. */
public final class PoolMetrics {
    private static final double NANOS_PER_SECOND = 1e9;

    private final Metrics metrics;

    public PoolMetrics(Metrics metrics) {
        this.metrics = metrics;
    }

    /** Registers the metrics of a pool, under its role. */
    public void watch(BackgroundPool pool) {
        String label = "pool=\"" + pool.role() + "\"";
        metrics.gauge("talos_background_running", label, "Background tasks that run.", pool::running);
        metrics.gauge("talos_background_waiting", label, "Background tasks that wait for a thread.", pool::waiting);
        metrics.gauge(
                "talos_background_longest_seconds",
                label,
                "For how long the task that has run longest does so: it hangs if this grows.",
                () -> pool.longestNanos() / NANOS_PER_SECOND);
        metrics.counter(
                "talos_background_refused_total",
                label,
                "Background tasks refused since too many waited.",
                pool::refused);
    }
}
