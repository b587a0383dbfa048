// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metrics.Metrics;
import org.talos.server.metrics.RequestMetrics;
import org.talos.server.runtime.DiskSpace;
import org.talos.server.runtime.Readiness;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.Clocks;
import org.talos.server.runtime.time.Ticker;

/**
 * Clocks, timers, threads, memory, and metrics that all services share. Immutable.
 *
 * @param budget memory of requests in flight
 * @param disk room on this machine's disks
 * @param requests of the front end
 * @param readiness of this server
 */
public record Environment(
        Clocks clocks,
        Background background,
        MemoryBudget budget,
        DiskSpace disk,
        Metrics metrics,
        RequestMetrics requests,
        Readiness readiness) {
    /**
     * The timers and threads for background work. Immutable.
     *
     * @param upkeep for work on storage that no request waits for; may block
     * @param refresh for periodic reads of rows and of other servers; may block
     */
    public record Background(TimerWheel timers, ScheduledExecutorService upkeep, ScheduledExecutorService refresh) {}

    /** Returns the clock that measures durations. */
    public Ticker ticker() {
        return clocks.ticker();
    }

    /** Returns the time of day. */
    public InstantSource clock() {
        return clocks.clock();
    }
}
