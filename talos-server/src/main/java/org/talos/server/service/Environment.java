// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.time.InstantSource;
import java.util.concurrent.ScheduledExecutorService;
import org.talos.server.metrics.Metrics;
import org.talos.server.runtime.MemoryBudget;
import org.talos.server.runtime.Ticker;
import org.talos.server.runtime.TimerWheel;

/**
 * Clocks, timers, threads, memory and metrics that all services share. Immutable.
 *
 * @param budget memory of requests in flight
 * @param background for work that no request waits for; may block
 */
public record Environment(
        Ticker ticker,
        InstantSource clock,
        TimerWheel timers,
        ScheduledExecutorService background,
        MemoryBudget budget,
        Metrics metrics) {}
