// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.boot.BackgroundPools;
import org.talos.server.boot.HeapBounds;
import org.talos.server.boot.Stores;
import org.talos.server.cluster.Coordinator;
import org.talos.server.config.LogConfig;
import org.talos.server.config.ServerConfig;
import org.talos.server.log.DedupeMemory;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.TailCache;
import org.talos.server.log.index.SegmentIndexes;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.metrics.LogMetrics;
import org.talos.server.partition.ClusterOwnership;
import org.talos.server.partition.DirectoryOptions;
import org.talos.server.partition.PartitionManager;
import org.talos.server.partition.RetentionRounds;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.runtime.time.Clocks;
import org.talos.server.runtime.time.SteadyClock;
import org.talos.server.seam.Seams;
import org.talos.server.service.ServiceFoundation;
import org.talos.server.storage.LogId;

/**
 * Assembles the partitions of a server, and reports which partitions it serves and what they delete.
 *
 * <p>Confined: the thread that starts the server.
 */
final class PartitionAssembly {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionAssembly.class);

    private final ServerConfig config;
    private final Seams seams;
    private final Clocks clocks;
    private final String process;

    /** @param process as partitions' rows name their owners */
    PartitionAssembly(ServerConfig config, Seams seams, Clocks clocks, String process) {
        this.config = config;
        this.seams = seams;
        this.clocks = clocks;
        this.process = process;
    }

    /** Creates the partitions, none of which is open yet. */
    PartitionManager create(Stores stores, TopicDirectory directory, BackgroundPools pools, LogMetrics metrics) {
        PartitionLog.Parts parts = new PartitionLog.Parts(
                new PartitionLog.Memory(
                        new TailCache(config.log().tailCacheBytes()),
                        new DedupeMemory(config.log().dedupeBytes()),
                        new SegmentIndexes(
                                HeapBounds.indexBytes(Runtime.getRuntime().maxMemory()))),
                new PartitionLog.Pools(pools.seals(), pools.segments(), pools.readers()),
                new SteadyClock(clocks.clock(), clocks.ticker()),
                clocks.ticker(),
                metrics,
                new SystemThreads());
        return new PartitionManager(
                seams.store().apply(stores.logs()),
                new Partitions(stores.metadata()),
                new DirectoryOptions(directory),
                config.log(),
                parts,
                new PartitionManager.Pools(pools.recovery(), pools.closings()),
                process);
    }

    /** Opens every partition before clients can reach the port. */
    static void open(ServiceFoundation base) {
        long start = base.environment().ticker().nanos();
        base.partitions()
                .open(base.repositories().directory().all().stream()
                        .flatMap(topic -> LogId.all(topic.topicId(), topic.partitions()).stream())
                        .toList());
        LOG.info(
                "partitions opened served={} ms={}",
                base.partitions().summary(),
                TimeUnit.NANOSECONDS.toMillis(base.environment().ticker().nanos() - start));
    }

    /** Takes and releases partitions as the cluster says. */
    static void follow(ServiceFoundation base) {
        Coordinator coordinator = base.cluster().coordinator();
        PartitionManager partitions = base.partitions();
        partitions.within(ClusterOwnership.of(coordinator, base.config()));
        coordinator.onHandovers(partitions);
    }

    /** Deletes old messages at intervals. */
    static void retainRegularly(ServiceFoundation base) {
        LogConfig log = base.config().log();
        long millis = log.retentionInterval().toMillis();
        RetentionRounds rounds = RetentionRounds.of(
                base.repositories().directory(),
                base.partitions()::retain,
                base.cluster().coordinator()::isClockRight,
                base.partitions().clock(),
                base.environment().ticker(),
                log.retentionBytesPerPartition());
        ScheduledExecutorService upkeep = base.environment().background().upkeep();
        var unused = upkeep.scheduleWithFixedDelay(rounds, millis, millis, TimeUnit.MILLISECONDS);
    }
}
