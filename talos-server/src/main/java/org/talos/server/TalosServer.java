// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.Release;
import org.talos.common.name.HostAndPort;
import org.talos.server.auth.Authentication;
import org.talos.server.auth.UserAdmin;
import org.talos.server.boot.BackgroundPools;
import org.talos.server.boot.Build;
import org.talos.server.boot.ClusterMembership;
import org.talos.server.boot.DiskWatch;
import org.talos.server.boot.HeapBounds;
import org.talos.server.boot.Membership;
import org.talos.server.boot.MetadataRows;
import org.talos.server.boot.ServerReports;
import org.talos.server.boot.SingleServerMembership;
import org.talos.server.boot.Stores;
import org.talos.server.cluster.ClusterRows;
import org.talos.server.cluster.Coordinator;
import org.talos.server.config.ClusterConfig.CoordinationBy;
import org.talos.server.config.LogConfig;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.load.ConfigException;
import org.talos.server.config.load.ConfigLoader;
import org.talos.server.config.load.EffectiveConfig;
import org.talos.server.http.FrontEnd;
import org.talos.server.http.console.PageHandler;
import org.talos.server.http.management.ManagementPort;
import org.talos.server.http.rest.RestHandler;
import org.talos.server.http.rest.Router;
import org.talos.server.http.rest.resource.Routes;
import org.talos.server.http.thrift.ThriftHandler;
import org.talos.server.log.DedupeMemory;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.TailCache;
import org.talos.server.log.index.SegmentIndexes;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.cache.NotifyingMetadataStore;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.Partitions;
import org.talos.server.metadata.rows.Users;
import org.talos.server.metrics.ClusterMetrics;
import org.talos.server.metrics.JvmMetrics;
import org.talos.server.metrics.LogMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.metrics.MetricsLog;
import org.talos.server.metrics.OperationMetrics;
import org.talos.server.metrics.PoolMetrics;
import org.talos.server.metrics.PrometheusText;
import org.talos.server.metrics.RequestMetrics;
import org.talos.server.metrics.TransferMetrics;
import org.talos.server.partition.ClusterOwnership;
import org.talos.server.partition.DirectoryOptions;
import org.talos.server.partition.PartitionManager;
import org.talos.server.partition.RetentionRounds;
import org.talos.server.runtime.BackgroundPool;
import org.talos.server.runtime.Closing;
import org.talos.server.runtime.Readiness;
import org.talos.server.runtime.SteadyClock;
import org.talos.server.runtime.SystemThreads;
import org.talos.server.runtime.SystemTime;
import org.talos.server.runtime.Ticker;
import org.talos.server.runtime.TimerWheel;
import org.talos.server.seam.Seams;
import org.talos.server.service.ClusterAccess;
import org.talos.server.service.Environment;
import org.talos.server.service.FollowedRows;
import org.talos.server.service.Repositories;
import org.talos.server.service.ServiceFoundation;
import org.talos.server.service.TalosServices;
import org.talos.server.storage.LogId;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.journal.JournalFiles;
import org.talos.server.transfer.client.RequestSenders;

/**
 * One server, from its configuration to its port.
 *
 * <p>Thread-safe.
 */
public final class TalosServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TalosServer.class);
    private static final String LOOPBACK = "127.0.0.1";
    private static final int CHECK_SECONDS = 5;
    private static final int CAPACITY_SECONDS = 10;
    private static final String REPLACED =
            "another process was started with this server's id (cluster.serverId) and has its partitions";

    private final Closing closing = new Closing();
    private final CompletableFuture<Optional<String>> end = new CompletableFuture<>();
    private final Readiness readiness;
    private final InstantSource clock;
    private final Ticker ticker;
    private final String process = HexFormat.of().toHexDigits(new SecureRandom().nextLong()); // as rows name owners
    private final MemoryBudget budget; // of what requests make the server keep
    private final FrontEnd frontEnd;
    private @Nullable ManagementPort management; // if it is enabled
    private @Nullable OperationMetrics capacity; // once the front end listens

    private TalosServer(ServerConfig config, Seams seams, InstantSource clock, Ticker ticker)
            throws IOException, MetadataException, StorageException {
        this.clock = clock;
        this.ticker = ticker;
        readiness = new Readiness(ticker);
        try {
            ServerConfig fitted = HeapBounds.ofThisJvm().fitted(config);
            budget = closing.add(new MemoryBudget(fitted.http().maxRequestMemoryBytes())); // closed last
            frontEnd = build(fitted, seams);
        } catch (IOException | MetadataException | StorageException | RuntimeException | Error e) {
            closing.close();
            throw e;
        }
    }

    /**
     * Starts a server; it serves when this returns.
     *
     * @throws IOException the port or a key file
     * @throws MetadataException the metadata cannot be opened, or another server has it
     * @throws StorageException the logs cannot be opened, are damaged, or another server has them
     */
    public static TalosServer start(ServerConfig config) throws IOException, MetadataException, StorageException {
        return start(config, Seams.shipped());
    }

    /** Like {@link #start(ServerConfig)}, with parts of a test or a measurement in place of its own. */
    public static TalosServer start(ServerConfig config, Seams seams)
            throws IOException, MetadataException, StorageException {
        return new TalosServer(config, seams, SystemTime.wallClock(), SystemTime.ticker());
    }

    /**
     * Like {@link #start(ServerConfig)}, with other clocks than the machine's and with journals whose writes may fail,
     * for tests.
     *
     * @param clock the server's time of day
     * @param ticker the monotonic clock, which measures durations
     * @param journals given the files of a journal, returns those for it to use
     */
    public static TalosServer start(
            ServerConfig config, InstantSource clock, Ticker ticker, UnaryOperator<JournalFiles> journals)
            throws IOException, MetadataException, StorageException {
        return new TalosServer(config, Seams.shipped().withJournals(journals), clock, ticker);
    }

    /**
     * Starts a server for the tests of a program, in its JVM: at a free port of 127.0.0.1 ({@link #uri}), with all that
     * it keeps in a directory, where it writes its administrator's key to {@code admin.credentials}.
     *
     * @param directory made if it is missing; may be deleted once the server is closed
     * @throws IOException the directory cannot be written
     * @throws MetadataException the metadata cannot be opened, or another server has it
     * @throws StorageException the logs cannot be opened, or another server has them
     */
    public static TalosServer embedded(Path directory) throws IOException, MetadataException, StorageException {
        try {
            return start(ConfigLoader.load(Map.of(
                    "TALOS_DATADIRECTORY", directory.toString(),
                    "TALOS_HTTP_HOST", LOOPBACK,
                    "TALOS_HTTP_PORT", "0",
                    "TALOS_MANAGEMENT_ENABLED", "false",
                    "TALOS_METRICSLOGINTERVAL", "0s",
                    "TALOS_SERVICE_SHUTDOWNGRACE", "2s"))); // clients' idle connections hold up a close
        } catch (ConfigException e) {
            throw new IllegalArgumentException("directory: " + e.getMessage(), e);
        }
    }

    private FrontEnd build(ServerConfig config, Seams seams) throws IOException, MetadataException, StorageException {
        Metrics metrics = openManagement(config, new Metrics(ticker));
        TimerWheel timers = closing.add(TimerWheel.started(ticker));
        LogMetrics logMetrics = new LogMetrics(metrics);
        DiskWatch disk = new DiskWatch(config, ticker, logMetrics, readiness);
        Stores stores = closing.add(disk.whenThereIsRoom(() -> {
            Metrics own = metrics.part();
            Stores opened = new Stores(config, ticker, clock, own, logMetrics, seams, disk.space());
            metrics.add(own);
            return opened;
        }));
        stores.registerWith(readiness, logMetrics);
        Membership membership = closing.add(membership(config, seams, timers, metrics));
        MetadataStore metadata = new NotifyingMetadataStore(stores.metadata(), membership.coordinator()::rowsChanged);
        UserAdmin users = UserAdmin.open(
                Path.of(config.dataDirectory()).toAbsolutePath(), new Users(metadata), clock, new SecureRandom());
        BackgroundPools pools = closing.add(new BackgroundPools(config, ticker, new PoolMetrics(metrics)));
        Repositories repositories = Repositories.load(metadata, users, clock, HeapBounds.topicMemory(config));
        PartitionManager partitions = partitions(config, stores, seams, repositories.directory(), pools, logMetrics);
        partitions.show(logMetrics, readiness);
        ServiceFoundation base = new ServiceFoundation(
                config,
                partitions,
                repositories,
                new ClusterAccess(membership.coordinator(), membership::to, membership::admin, membership::serverId),
                new Environment(
                        ticker,
                        clock,
                        timers,
                        pools.upkeep(),
                        pools.refresh(),
                        budget,
                        disk.space(),
                        metrics,
                        new RequestMetrics(metrics),
                        readiness),
                seams.selection(),
                HeapBounds.groupBytes(Runtime.getRuntime().maxMemory()));
        disk.start(pools.health());
        return serve(base, seams, membership, pools);
    }

    private Membership membership(ServerConfig config, Seams seams, TimerWheel timers, Metrics metrics)
            throws IOException {
        ClusterMembership.Figures figures =
                new ClusterMembership.Figures(new ClusterMetrics(metrics), new TransferMetrics(metrics));
        if (!isOneOfSeveral(config)) {
            return new SingleServerMembership();
        }
        RequestSenders senders = seams.senders().apply(config.transfer());
        return new ClusterMembership(config, senders, process, timers, ticker, clock, figures);
    }

    private static boolean isOneOfSeveral(ServerConfig config) {
        return config.cluster().coordination() == CoordinationBy.ZOOKEEPER;
    }

    private FrontEnd serve(ServiceFoundation base, Seams seams, Membership membership, BackgroundPools pools)
            throws IOException, MetadataException {
        ServerConfig config = base.config();
        TalosServices services = closing.add(new TalosServices(base));
        if (!isOneOfSeveral(config)) {
            open(base);
        }
        scheduleMaintenance(base, pools);
        closing.add(membership::leave);
        if (isOneOfSeveral(config)) {
            follow(base);
        }
        FrontEnd opened = listen(base, seams, services);
        readiness.watch(
                "cluster",
                () -> base.cluster().coordinator().isConnected()
                        ? Optional.empty()
                        : Optional.of("this server is cut off from its cluster"));
        Repositories stored = base.repositories();
        ClusterRows rows = new MetadataRows(stored.topics(), stored.directory(), stored.partitions(), pools.refresh());
        membership.join(HostAndPort.of(config.http().clientHost(), opened.port()), services.forOthers(), rows);
        endOnceReplaced(membership);
        closing.add(membership.coordinator()::leaving); // closed first: others send this server no further requests
        if (isOneOfSeveral(config)) {
            ServerReports.start(
                    base.partitions(),
                    readiness,
                    membership,
                    pools.refresh(),
                    base.environment().ticker());
        }
        services.resumeDeletions(pools.upkeep());
        checkRegularly(pools);
        services.measure(pools.health(), pools.refresh());
        return opened;
    }

    private void endOnceReplaced(Membership membership) {
        readiness.watchEnd("server-id", () -> end.getNow(Optional.empty()));
        var unused = membership.replaced().thenRun(() -> end.complete(Optional.of(REPLACED)));
    }

    /** Takes and releases partitions as the cluster says. */
    private static void follow(ServiceFoundation base) {
        Coordinator coordinator = base.cluster().coordinator();
        PartitionManager partitions = base.partitions();
        partitions.within(ClusterOwnership.of(coordinator, base.config()));
        coordinator.onHandovers(partitions);
    }

    private PartitionManager partitions(
            ServerConfig config,
            Stores stores,
            Seams seams,
            TopicDirectory directory,
            BackgroundPools pools,
            LogMetrics metrics) {
        PartitionLog.Parts parts = new PartitionLog.Parts(
                new TailCache(config.log().tailCacheBytes()),
                new DedupeMemory(config.log().dedupeBytes()),
                new SegmentIndexes(HeapBounds.indexBytes(Runtime.getRuntime().maxMemory())),
                pools.seals(),
                pools.segments(),
                pools.readers(),
                new SteadyClock(clock, ticker),
                ticker,
                metrics,
                new SystemThreads());
        return closing.add(new PartitionManager(
                seams.store().apply(stores.logs()),
                new Partitions(stores.metadata()),
                new DirectoryOptions(directory),
                config.log(),
                parts,
                pools.recovery(),
                pools.closings(),
                process));
    }

    /** Opened first and closed last, so that operators see a server that is still opening its partitions. */
    private Metrics openManagement(ServerConfig config, Metrics metrics) throws IOException {
        if (!config.management().enabled()) {
            return metrics;
        }
        JvmMetrics.add(metrics);
        ManagementPort opened = closing.add(new ManagementPort(
                config.management(),
                config.http().limits(),
                Set.of(config.http().clientHost()),
                new ManagementPort.Shown(
                        new PrometheusText(metrics), readiness, Build.info(), EffectiveConfig.shown(config)),
                ticker));
        opened.start();
        management = opened;
        return metrics;
    }

    /** Checks for the first time before the start is over, unless a check hangs. */
    private void checkRegularly(BackgroundPools pools) {
        BackgroundPool health = pools.health();
        try {
            readiness.check(health).get(CHECK_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException e) {
            LOG.warn("a check of readiness has not answered", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        readiness.checkEvery(Duration.ofSeconds(CHECK_SECONDS), health);
        closing.add(readiness::stop);
        refreshRegularly(health);
    }

    private void refreshRegularly(BackgroundPool health) {
        OperationMetrics operations = capacity;
        if (operations != null) {
            var unused = health.scheduleAtFixedRate(operations::refresh, 0, CAPACITY_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** Opens every partition before clients can reach the port. */
    private static void open(ServiceFoundation base) {
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

    private void scheduleMaintenance(ServiceFoundation base, BackgroundPools pools) {
        ServerConfig config = base.config();
        retainRegularly(base);
        base.repositories().show(readiness);
        FollowedRows.begin(base, pools.refresh());
        MetricsLog metricsLog = closing.add(new MetricsLog(base.environment().metrics(), config.metricsLogInterval()));
        metricsLog.start(pools.health());
    }

    private FrontEnd listen(ServiceFoundation base, Seams seams, TalosServices services) throws IOException {
        ServerConfig config = base.config();
        RequestMetrics requestMetrics = base.environment().requests();
        capacity = requestMetrics.operations();
        readiness.watch("memory", budget::shortage);
        FrontEnd.Parts frontEndParts = new FrontEnd.Parts(
                config.http(),
                Authentication.of(
                        base.repositories().users().keys(),
                        base.repositories().sessions(),
                        base.environment().clock(),
                        config.auth(),
                        config.console()),
                seams.calls().apply(services.handler()),
                budget,
                requestMetrics,
                base.environment().ticker(),
                base.environment().clock());
        RestHandler rest = new RestHandler(frontEndParts, services.operations(), new Router(Routes.all()));
        FrontEnd opened = closing.add(new FrontEnd(
                frontEndParts,
                new PageHandler(frontEndParts, config.console().enabled(), rest),
                new ThriftHandler(frontEndParts),
                config.service().shutdownGrace()));
        requestMetrics.watch(budget::used, rest::openStreams, opened::certificateEndSeconds);
        base.cluster().coordinator().onDrained(rest::moveStreams);
        closing.add(services::endWaits);
        closing.add(rest::endStreams); // closed before the waits: a stream continues when one ends
        opened.start();
        readiness.watchEnd("connections", opened::failure);
        LOG.info(
                "serving version={} port={} durability={}",
                Release.version(),
                opened.port(),
                config.log().durability());
        return opened;
    }

    private static void retainRegularly(ServiceFoundation base) {
        LogConfig log = base.config().log();
        long millis = log.retentionInterval().toMillis();
        RetentionRounds rounds = RetentionRounds.of(
                base.repositories().directory(),
                base.partitions()::retain,
                base.cluster().coordinator()::isClockRight,
                base.partitions().clock(),
                base.environment().ticker(),
                log.retentionBytesPerPartition());
        var unused = base.environment().upkeep().scheduleWithFixedDelay(rounds, millis, millis, TimeUnit.MILLISECONDS);
    }

    /** The management port, if there is one. */
    public OptionalInt managementPort() {
        ManagementPort opened = management;
        return opened == null ? OptionalInt.empty() : OptionalInt.of(opened.port());
    }

    /** The port that it listens on. */
    public int port() {
        return frontEnd.port();
    }

    /** Returns where an {@link #embedded} server listens. */
    public URI uri() {
        return URI.create("http://" + LOOPBACK + ":" + port());
    }

    /** Returns the memory in bytes that requests hold now. After {@link #close} it is none, or some was forgotten. */
    public long reservedBytes() {
        return budget.used();
    }

    /** Returns whether it can do its work once more; if not, another process has to take its place. */
    public boolean isAlive() {
        return readiness.ends().isEmpty();
    }

    /**
     * Waits until the server has been closed, or has to be, as another process has its id in the cluster.
     *
     * @return why it has to be closed; empty if it has been closed
     */
    public Optional<String> awaitEnd() throws InterruptedException {
        try {
            return end.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("nothing fails it", e);
        }
    }

    /** Refuses new requests, answers or expires those in flight, and writes everything to the disk. */
    @Override
    public void close() {
        closing.close();
        end.complete(Optional.empty());
    }
}
