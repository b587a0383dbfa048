// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import org.talos.server.auth.UserAdmin;
import org.talos.server.boot.BackgroundPools;
import org.talos.server.boot.ClusterMembership;
import org.talos.server.boot.DiskWatch;
import org.talos.server.boot.HeapBounds;
import org.talos.server.boot.Membership;
import org.talos.server.boot.SingleServerMembership;
import org.talos.server.boot.Stores;
import org.talos.server.config.ClusterConfig.CoordinationBy;
import org.talos.server.config.ServerConfig;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.cache.NotifyingMetadataStore;
import org.talos.server.metrics.ClusterMetrics;
import org.talos.server.metrics.LogMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.metrics.PoolMetrics;
import org.talos.server.metrics.RequestMetrics;
import org.talos.server.metrics.TransferMetrics;
import org.talos.server.partition.PartitionManager;
import org.talos.server.runtime.Closing;
import org.talos.server.runtime.Readiness;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.Clocks;
import org.talos.server.seam.Seams;
import org.talos.server.service.ClusterAccess;
import org.talos.server.service.Environment;
import org.talos.server.service.Repositories;
import org.talos.server.service.ServiceFoundation;
import org.talos.server.storage.StorageException;
import org.talos.server.transfer.client.RequestSenders;

/**
 * Puts together the parts of a server below its services: stores, rows, partitions, and the membership in a cluster.
 *
 * <p>Confined: the thread that starts the server.
 */
final class StorageAssembly {
    private final ServerConfig config;
    private final Seams seams;
    private final Clocks clocks;
    private final Closing closing;
    private final Readiness readiness;
    private final MemoryBudget budget;
    private final String process = HexFormat.of().toHexDigits(new SecureRandom().nextLong()); // as rows name owners

    /** The opened parts. Immutable. */
    record Opened(ServiceFoundation base, Membership membership, BackgroundPools pools) {}

    /** @param closing gets each part as it is opened */
    StorageAssembly(
            ServerConfig config,
            Seams seams,
            Clocks clocks,
            Closing closing,
            Readiness readiness,
            MemoryBudget budget) {
        this.config = config;
        this.seams = seams;
        this.clocks = clocks;
        this.closing = closing;
        this.readiness = readiness;
        this.budget = budget;
    }

    /** Opens everything; serves nothing yet. */
    Opened open(Metrics metrics) throws IOException, MetadataException, StorageException {
        TimerWheel timers = closing.add(TimerWheel.started(clocks.ticker()));
        LogMetrics logMetrics = new LogMetrics(metrics);
        DiskWatch disk = new DiskWatch(config, clocks.ticker(), logMetrics, readiness);
        Stores stores = closing.add(disk.whenThereIsRoom(() -> stores(metrics, logMetrics, disk)));
        stores.registerWith(readiness, logMetrics);
        Membership membership = closing.add(membership(timers, metrics));
        MetadataStore metadata = new NotifyingMetadataStore(stores.metadata(), membership.coordinator()::rowsChanged);
        UserAdmin users = UserAdmin.open(
                Path.of(config.dataDirectory()).toAbsolutePath(), metadata, clocks.clock(), new SecureRandom());
        BackgroundPools pools = closing.add(new BackgroundPools(config, clocks.ticker(), new PoolMetrics(metrics)));
        Repositories repositories = Repositories.load(metadata, users, clocks.clock(), HeapBounds.topicMemory(config));
        PartitionAssembly assembly = new PartitionAssembly(config, seams, clocks, process);
        PartitionManager partitions = closing.add(assembly.create(stores, repositories.directory(), pools, logMetrics));
        partitions.show(logMetrics, readiness);
        ServiceFoundation base = new ServiceFoundation(
                config,
                partitions,
                repositories,
                new ClusterAccess(membership.coordinator(), membership::to, membership::admin, membership::serverId),
                environment(timers, pools, disk, metrics),
                new ServiceFoundation.Policies(seams.selection(), seams.processorLoad()),
                groupHeap(Runtime.getRuntime().maxMemory()));
        disk.start(pools.health());
        return new Opened(base, membership, pools);
    }

    private static ServiceFoundation.GroupHeap groupHeap(long heapBytes) {
        return new ServiceFoundation.GroupHeap(HeapBounds.groupBytes(heapBytes), HeapBounds.groupListBytes(heapBytes));
    }

    private Stores stores(Metrics metrics, LogMetrics logMetrics, DiskWatch disk)
            throws IOException, MetadataException, StorageException {
        Metrics own = metrics.part();
        Stores opened = new Stores(config, clocks.ticker(), clocks.clock(), own, logMetrics, seams, disk.space());
        metrics.add(own);
        return opened;
    }

    private Membership membership(TimerWheel timers, Metrics metrics) throws IOException {
        ClusterMembership.Figures figures =
                new ClusterMembership.Figures(new ClusterMetrics(metrics), new TransferMetrics(metrics));
        if (!isOneOfSeveral(config)) {
            return new SingleServerMembership();
        }
        RequestSenders senders = seams.senders().apply(config.transfer());
        return new ClusterMembership(config, senders, process, timers, clocks.ticker(), clocks.clock(), figures);
    }

    /** Returns whether the server shares its partitions with others. */
    static boolean isOneOfSeveral(ServerConfig config) {
        return config.cluster().coordination() == CoordinationBy.ZOOKEEPER;
    }

    private Environment environment(TimerWheel timers, BackgroundPools pools, DiskWatch disk, Metrics metrics) {
        return new Environment(
                clocks,
                new Environment.Background(timers, pools.upkeep(), pools.refresh()),
                budget,
                disk.space(),
                metrics,
                new RequestMetrics(metrics),
                readiness);
    }
}
