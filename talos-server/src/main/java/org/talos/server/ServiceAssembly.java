// SPDX-License-Identifier: Apache-2.0
package org.talos.server;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.Release;
import org.talos.common.name.HostAndPort;
import org.talos.server.auth.Authentication;
import org.talos.server.boot.BackgroundPools;
import org.talos.server.boot.Membership;
import org.talos.server.boot.MetadataRows;
import org.talos.server.boot.ServerReports;
import org.talos.server.cluster.ClusterRows;
import org.talos.server.config.ServerConfig;
import org.talos.server.frontend.EnabledFrontEnds;
import org.talos.server.frontend.FrontEnd;
import org.talos.server.frontend.FrontEndContext;
import org.talos.server.frontend.FrontEndSettings;
import org.talos.server.frontend.FrontEnds;
import org.talos.server.http.unit.HttpFrontEnd;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metrics.MetricsLog;
import org.talos.server.metrics.OperationMetrics;
import org.talos.server.runtime.Closing;
import org.talos.server.runtime.Readiness;
import org.talos.server.runtime.thread.BackgroundPool;
import org.talos.server.seam.Seams;
import org.talos.server.service.Environment;
import org.talos.server.service.FollowedRows;
import org.talos.server.service.Repositories;
import org.talos.server.service.ServiceFoundation;
import org.talos.server.service.TalosServices;

/**
 * Puts together the services of a server and its front ends, joins the cluster, and begins the regular checks.
 *
 * <p>Confined: the thread that starts the server.
 */
final class ServiceAssembly {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceAssembly.class);
    private static final int CHECK_SECONDS = 5;
    private static final int CAPACITY_SECONDS = 10;

    private final ServiceFoundation base;
    private final Membership membership;
    private final BackgroundPools pools;
    private final Seams seams;
    private final EnabledFrontEnds enabled;
    private final Closing closing;
    private final Readiness readiness;

    /**
     * @param enabled the front ends besides HTTP
     * @param closing gets each part as it is started
     */
    ServiceAssembly(StorageAssembly.Opened opened, Seams seams, EnabledFrontEnds enabled, Closing closing) {
        base = opened.base();
        membership = opened.membership();
        pools = opened.pools();
        this.seams = seams;
        this.enabled = enabled;
        this.closing = closing;
        readiness = base.environment().readiness();
    }

    /**
     * Starts everything; clients are served when this returns.
     *
     * @param joined runs once the server is a member of its cluster
     */
    FrontEnds serve(Runnable joined) throws IOException, MetadataException {
        ServerConfig config = base.config();
        boolean isOneOfSeveral = StorageAssembly.isOneOfSeveral(config);
        TalosServices services = closing.add(new TalosServices(base));
        if (!isOneOfSeveral) {
            PartitionAssembly.open(base);
        }
        scheduleMaintenance();
        closing.add(membership::leave);
        if (isOneOfSeveral) {
            PartitionAssembly.follow(base);
        }
        FrontEnds frontEnds = listen(services);
        join(HostAndPort.of(config.http().clientHost(), frontEnds.address().port()), services);
        joined.run();
        closing.add(membership.coordinator()::leaving); // closed first: others send this server no further requests
        if (isOneOfSeveral) {
            ServerReports.start(
                    base.partitions(),
                    readiness,
                    membership,
                    pools.refresh(),
                    base.environment().ticker());
        }
        services.resumeDeletions(pools.upkeep());
        checkRegularly();
        services.measure(pools.health(), pools.refresh());
        return frontEnds;
    }

    private void join(String address, TalosServices services) throws IOException, MetadataException {
        readiness.watch(
                "cluster",
                () -> base.cluster().coordinator().isConnected()
                        ? Optional.empty()
                        : Optional.of("this server is cut off from its cluster"));
        Repositories repositories = base.repositories();
        Repositories.StoredTopics stored = repositories.stored();
        ClusterRows rows =
                new MetadataRows(stored.topics(), repositories.directory(), stored.partitions(), pools.refresh());
        membership.join(address, services.forOthers(), rows);
    }

    private void scheduleMaintenance() {
        ServerConfig config = base.config();
        PartitionAssembly.retainRegularly(base);
        base.repositories().show(readiness);
        FollowedRows.begin(base, pools.refresh());
        MetricsLog metricsLog = closing.add(new MetricsLog(base.environment().metrics(), config.metricsLogInterval()));
        metricsLog.start(pools.health());
    }

    private FrontEnds listen(TalosServices services) throws IOException {
        ServerConfig config = base.config();
        readiness.watch("memory", base.environment().budget()::shortage);
        FrontEndContext context = context(services);
        List<FrontEnd> all = new ArrayList<>();
        all.add(new HttpFrontEnd(context, config.http(), config.console().enabled()));
        all.addAll(enabled.create(context));
        FrontEnds frontEnds = closing.add(new FrontEnds(all));
        base.cluster().coordinator().onDrained(frontEnds::drain);
        closing.add(services::endWaits);
        closing.add(frontEnds::endStreams); // closed before the waits: a stream continues when one ends
        frontEnds.start();
        readiness.watchEnd("connections", frontEnds::failure);
        LOG.info(
                "serving version={} port={} durability={}",
                Release.version(),
                frontEnds.address().port(),
                config.log().durability());
        return frontEnds;
    }

    private FrontEndContext context(TalosServices services) {
        ServerConfig config = base.config();
        Environment environment = base.environment();
        Authentication authentication = Authentication.of(
                base.repositories().users().keys(),
                base.repositories().sessions(),
                environment.clock(),
                config.auth(),
                config.console());
        return new FrontEndContext(
                services.operations(),
                seams.calls().apply(services.handler()),
                authentication,
                new FrontEndContext.Bounds(
                        environment.budget(),
                        config.http().limits(),
                        config.service().shutdownGrace()),
                new FrontEndContext.Meters(environment.metrics(), environment.requests()),
                environment.clocks(),
                new FrontEndSettings("http", Map.of()));
    }

    /** Checks for the first time before the start is over, unless a check hangs. */
    private void checkRegularly() {
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
        OperationMetrics capacity = base.environment().requests().operations();
        var unused = health.scheduleAtFixedRate(capacity::refresh, 0, CAPACITY_SECONDS, TimeUnit.SECONDS);
    }
}
