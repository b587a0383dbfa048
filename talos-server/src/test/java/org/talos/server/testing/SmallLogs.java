// SPDX-License-Identifier: Apache-2.0
package org.talos.server.testing;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;
import org.talos.server.config.Durability;
import org.talos.server.config.LogConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.log.DedupeMemory;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.TailCache;
import org.talos.server.log.index.SegmentIndexes;
import org.talos.server.metrics.LogMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.runtime.time.SteadyClock;
import org.talos.server.runtime.time.Ticker;

/** Logs with small segments, for tests of what is around them. Immutable. */
public final class SmallLogs {
    /** Synced, in segments of 64 KiB. */
    public static final LogConfig CONFIG = TestConfig.of(LogConfig.class)
            .with("durability", Durability.FSYNC)
            .with("segmentBytes", 64 << 10)
            .with("segmentAge", Duration.ofMinutes(10))
            .with("indexIntervalBytes", 512)
            .with("tailCacheBytes", 1 << 20)
            .with("retentionInterval", Duration.ofSeconds(1))
            .with("dedupeWindow", 100)
            .with("dedupeAge", Duration.ofMinutes(5))
            .with("dedupeBytes", 1 << 20)
            .with("journalFileBytes", 64 << 10)
            .with("maxUnwrittenBytes", 1 << 20)
            .create();

    private SmallLogs() {}

    /** The parts of logs that do all they have to on the thread that calls them. */
    public static PartitionLog.Parts onCallersThread(Ticker ticker) {
        return parts(Runnable::run, ticker);
    }

    /** The same, but that new segments are opened elsewhere. */
    public static PartitionLog.Parts parts(Executor openings, Ticker ticker) {
        return new PartitionLog.Parts(
                new PartitionLog.Memory(new TailCache(1 << 20), new DedupeMemory(1 << 20), new SegmentIndexes(1 << 20)),
                new PartitionLog.Pools(Runnable::run, openings, Runnable::run),
                new SteadyClock(() -> Instant.ofEpochMilli(1_000_000), ticker),
                ticker,
                new LogMetrics(new Metrics(() -> 0)),
                new SystemThreads());
    }
}
