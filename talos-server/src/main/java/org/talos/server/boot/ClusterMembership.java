// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.talos.common.name.HostAndPort;
import org.talos.server.cluster.ClusterAdmin;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.cluster.ClusterRows;
import org.talos.server.cluster.Coordinator;
import org.talos.server.cluster.JoiningCoordinator;
import org.talos.server.cluster.PartitionTraffic;
import org.talos.server.cluster.ServerHealth;
import org.talos.server.cluster.zookeeper.ZooKeeperCoordinator;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.TransferConfig;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metrics.ClusterMetrics;
import org.talos.server.metrics.TransferMetrics;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.transfer.client.ClientConnection;
import org.talos.server.transfer.client.RequestSenders;
import org.talos.server.transfer.client.Transfer;
import org.talos.server.transfer.server.TransferServer;
import org.talos.server.transfer.tls.TransferTls;
import org.talos.server.transfer.wire.TransferKey;

/**
 * The membership of one of several servers: the transfer port, clients of the other servers, and a coordinator on
 * ZooKeeper.
 *
 * <p>Thread-safe; but joining, leaving and closing are confined to the thread that starts and stops the server.
 */
public final class ClusterMembership implements Membership {
    private final ServerConfig config;
    private final String process;
    private final TransferKey key;
    private final TransferTls tls;
    private final MemoryBudget memory;
    private final TransferMetrics metrics;
    private final ClusterMetrics clusterMetrics;
    private final Ticker ticker;
    private final InstantSource clock;
    private final Transfer transfer;
    private final JoiningCoordinator coordinator = new JoiningCoordinator();
    private volatile @Nullable ZooKeeperCoordinator joined;
    private volatile @Nullable String serverId; // once it has joined
    private final CompletableFuture<Void> replaced = new CompletableFuture<>();
    private @Nullable TransferServer port;

    /**
     * A server that has not joined yet.
     *
     * @param senders of requests to other servers, closed with this
     * @param process names this process, and no other, as the rows of its partitions do
     * @throws IOException the servers' shared key, or a certificate, cannot be read
     */
    public ClusterMembership(
            ServerConfig config,
            RequestSenders senders,
            String process,
            TimerWheel timers,
            Ticker ticker,
            InstantSource clock,
            Figures figures)
            throws IOException {
        this.config = config;
        this.process = process;
        this.ticker = ticker;
        this.clock = clock;
        metrics = figures.transfer();
        clusterMetrics = figures.cluster();
        key = TransferKey.read(config.transfer().keyFile());
        tls = TransferTls.start(config.transfer().tls(), clock);
        metrics.watch(tls::endSeconds);
        memory = new MemoryBudget(config.transfer().maxMemoryBytes());
        transfer = new Transfer(
                config.transfer(), senders, new ClientConnection.Identity(key, tls), memory, timers, ticker, metrics);
    }

    /** The figures of the membership, and of the requests between servers. Immutable. */
    public record Figures(ClusterMetrics cluster, TransferMetrics transfer) {}

    @Override
    public Coordinator coordinator() {
        return coordinator;
    }

    @Override
    public PartitionRequests to(ClusterMember member) {
        return transfer.to(member);
    }

    @Override
    public void join(String clientAddress, PartitionRequests local, ClusterRows rows) throws IOException {
        TransferConfig own = config.transfer();
        TransferServer opened = TransferServer.start(own, key, tls, local, memory, ticker, metrics);
        port = opened;
        String host = own.advertisedHost().isEmpty() ? own.host() : own.advertisedHost();
        String id = config.cluster().serverId().isEmpty()
                ? addressAsId(clientAddress)
                : config.cluster().serverId();
        ClusterMember self = new ClusterMember(id, clientAddress, HostAndPort.of(host, opened.port()));
        ZooKeeperCoordinator real = new ZooKeeperCoordinator(
                config.zookeeper(),
                config.cluster(),
                new ZooKeeperCoordinator.Identity(self, process),
                rows,
                ticker,
                clock,
                clusterMetrics);
        coordinator.join(real);
        var unused = real.replaced().thenRun(() -> replaced.complete(null));
        real.start();
        serverId = id;
        joined = real;
    }

    /** Returns the address without brackets around IPv6, which no id may have. */
    private String addressAsId(String clientAddress) {
        return HostAndPort.bare(config.http().clientHost()) + clientAddress.substring(clientAddress.lastIndexOf(':'));
    }

    @Override
    public void report(List<PartitionTraffic> measured, ServerHealth health) {
        ZooKeeperCoordinator real = joined;
        if (real != null) {
            real.report(measured, health);
        }
    }

    @Override
    public Optional<ClusterAdmin> admin() {
        return Optional.ofNullable(joined).map(ZooKeeperCoordinator::admin);
    }

    @Override
    public Optional<String> serverId() {
        return Optional.ofNullable(serverId);
    }

    @Override
    public CompletionStage<Void> replaced() {
        return replaced;
    }

    @Override
    public void leave() {
        TransferServer opened = port;
        if (opened != null) {
            opened.close();
        }
    }

    @Override
    public void close() {
        coordinator.close();
        transfer.close();
        tls.close();
    }
}
