// SPDX-License-Identifier: Apache-2.0
package org.talos.server.testing;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;
import org.talos.server.config.Durability;
import org.talos.server.config.LogConfig;
import org.talos.server.log.DedupeMemory;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.TailCache;
import org.talos.server.log.index.SegmentIndexes;
import org.talos.server.metrics.LogMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.runtime.SteadyClock;
import org.talos.server.runtime.SystemThreads;
import org.talos.server.runtime.Ticker;

/** Logs with small segments, for tests of what is around them. Immutable. */
public final class SmallLogs {
    /** Synced, in segments of 64 KiB. */
    public static final LogConfig CONFIG = new LogConfig(
            Durability.FSYNC,
            64 << 10,
            Duration.ofMinutes(10),
            512,
            1 << 20,
            0,
            Duration.ofSeconds(1),
            100,
            Duration.ofMinutes(5),
            1 << 20,
            64 << 10,
            1 << 20,
            "");

    private SmallLogs() {}

    /** The parts of logs that do all they have to on the thread that calls them. */
    public static PartitionLog.Parts onCallersThread(Ticker ticker) {
        return parts(Runnable::run, ticker);
    }

    /** The same, but that new segments are opened elsewhere. */
    public static PartitionLog.Parts parts(Executor openings, Ticker ticker) {
        return new PartitionLog.Parts(
                new TailCache(1 << 20),
                new DedupeMemory(1 << 20),
                new SegmentIndexes(1 << 20),
                Runnable::run,
                openings,
                Runnable::run,
                new SteadyClock(() -> Instant.ofEpochMilli(1_000_000), ticker),
                ticker,
                new LogMetrics(new Metrics(() -> 0)),
                new SystemThreads());
    }
}
