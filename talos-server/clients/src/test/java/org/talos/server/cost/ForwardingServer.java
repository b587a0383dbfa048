// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cost;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.talos.server.auth.Authentication;
import org.talos.server.auth.UserAdmin;
import org.talos.server.boot.BackgroundPools;
import org.talos.server.boot.Stores;
import org.talos.server.cluster.Location;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.dispatch.WorkerSelection;
import org.talos.server.http.HttpPort;
import org.talos.server.http.thrift.ThriftHandler;
import org.talos.server.log.DedupeMemory;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.TailCache;
import org.talos.server.log.index.SegmentIndexes;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.metrics.LogMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.metrics.PoolMetrics;
import org.talos.server.metrics.RequestMetrics;
import org.talos.server.partition.DirectoryOptions;
import org.talos.server.partition.PartitionManager;
import org.talos.server.runtime.Closing;
import org.talos.server.runtime.DiskSpace;
import org.talos.server.runtime.Readiness;
import org.talos.server.runtime.thread.SystemThreads;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.Clocks;
import org.talos.server.runtime.time.SteadyClock;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.seam.Seams;
import org.talos.server.service.ClusterAccess;
import org.talos.server.service.Environment;
import org.talos.server.service.PlacedCoordinator;
import org.talos.server.service.Repositories;
import org.talos.server.service.ServiceFoundation;
import org.talos.server.service.TalosServices;
import org.talos.server.transfer.TransferFixture;
import org.talos.server.transfer.server.TransferServer;

/**
 * A server that hands the puts of its clients to itself over its transfer port: what two servers do for a forwarded
 * put, in one. Speaks Thrift alone. Confined: the test.
 */
final class ForwardingServer implements AutoCloseable {
    private final Closing closing = new Closing();
    private final PlacedCoordinator coordinator = new PlacedCoordinator();
    private final TransferFixture transfers = new TransferFixture();
    private final Ticker ticker = SystemTime.ticker();
    private final InstantSource clock = SystemTime.wallClock();
    private final Metrics metrics = new Metrics(ticker);
    private final RequestMetrics requests = new RequestMetrics(metrics);
    private final TransferServer port;
    private final HttpPort frontEnd;

    ForwardingServer(Path data, Map<String, String> settings) throws Exception {
        closing.add(transfers::close);
        ServerConfig config = ConfigLoader.load(settings);
        TimerWheel timers = closing.add(TimerWheel.started(ticker));
        LogMetrics logMetrics = new LogMetrics(metrics);
        Stores stores =
                closing.add(new Stores(config, ticker, clock, metrics, logMetrics, Seams.shipped(), DiskSpace.none()));
        UserAdmin users = UserAdmin.open(data, stores.metadata(), clock, new SecureRandom());
        BackgroundPools pools = closing.add(new BackgroundPools(config, ticker, new PoolMetrics(metrics)));
        Repositories repositories = Repositories.load(stores.metadata(), users, clock);
        PartitionManager partitions = closing.add(new PartitionManager(
                stores.logs(),
                new Partitions(stores.metadata()),
                new DirectoryOptions(repositories.directory()),
                config.log(),
                parts(config, pools, logMetrics),
                new PartitionManager.Pools(pools.recovery(), pools.closings()),
                "itself"));
        MemoryBudget budget = new MemoryBudget(config.http().maxRequestMemoryBytes());
        TalosServices services = closing.add(new TalosServices(new ServiceFoundation(
                config,
                partitions,
                repositories,
                new ClusterAccess(
                        coordinator,
                        transfers.transfer(TransferFixture.config())::to,
                        Optional::empty,
                        Optional::empty),
                environment(pools, timers, budget),
                new ServiceFoundation.Policies(WorkerSelection.leastLoaded(), () -> 0),
                new ServiceFoundation.GroupHeap(1 << 20, 1 << 20))));
        port = transfers.server(services.forOthers());
        frontEnd = closing.add(frontEnd(config, repositories, services, budget));
        frontEnd.start();
    }

    private Environment environment(BackgroundPools pools, TimerWheel timers, MemoryBudget budget) {
        return new Environment(
                new Clocks(ticker, clock),
                new Environment.Background(timers, pools.upkeep(), pools.refresh()),
                budget,
                DiskSpace.none(),
                metrics,
                requests,
                new Readiness(ticker));
    }

    private PartitionLog.Parts parts(ServerConfig config, BackgroundPools pools, LogMetrics logMetrics) {
        return new PartitionLog.Parts(
                new PartitionLog.Memory(
                        new TailCache(config.log().tailCacheBytes()),
                        new DedupeMemory(config.log().dedupeBytes()),
                        new SegmentIndexes(1 << 20)),
                new PartitionLog.Pools(pools.seals(), pools.segments(), pools.readers()),
                new SteadyClock(clock, ticker),
                ticker,
                logMetrics,
                new SystemThreads());
    }

    private HttpPort frontEnd(
            ServerConfig config, Repositories repositories, TalosServices services, MemoryBudget budget) {
        HttpPort.Parts parts = new HttpPort.Parts(
                config.http(),
                Authentication.of(
                        repositories.users().keys(), repositories.sessions(), clock, config.auth(), config.console()),
                services.handler(),
                budget,
                requests,
                ticker,
                clock);
        return new HttpPort(
                parts, new NoRest(), new ThriftHandler(parts), config.service().shutdownGrace());
    }

    int port() {
        return frontEnd.port();
    }

    /** From now on it is another server that has the partitions: itself. */
    void forward() {
        coordinator.place(new Location.There(TransferFixture.at("itself", port.port())));
    }

    @Override
    public void close() {
        closing.close();
    }

    /** Handles no request. Immutable. */
    private static final class NoRest extends Handler.Abstract.NonBlocking {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            return false;
        }
    }
}
