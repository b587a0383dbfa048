// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.talos.common.name.HostAndPort;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.config.TransferConfig;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metrics.TransferMetrics;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.runtime.Ticker;
import org.talos.server.runtime.TimerWheel;
import org.talos.server.transfer.server.TransferServer;
import org.talos.server.transfer.tls.TransferTls;
import org.talos.server.transfer.wire.TransferKey;

/**
 * Sends requests to other servers, to their {@link TransferServer}. The threads that do so are those of
 * {@link SenderPools}; connections, and what is known of a server's health, are each server's own.
 *
 * <p>Thread-safe.
 */
public final class Transfer implements AutoCloseable {
    private static final Duration SWEEP_INTERVAL = Duration.ofSeconds(30);

    private final TransferConfig config;
    private final ClientConnection.Identity identity;
    private final TransferMetrics metrics;
    private final RemoteHost.Shared shared;
    private final SenderPools pools;
    private final Map<String, RemoteHost> hosts = new ConcurrentHashMap<>(); // by transfer address
    private volatile boolean closed;

    /** Connects to a server when its first request comes. */
    public Transfer(
            TransferConfig config,
            TransferKey key,
            TransferTls tls,
            MemoryBudget memory,
            TimerWheel timers,
            Ticker ticker,
            TransferMetrics metrics) {
        this.config = config;
        identity = new ClientConnection.Identity(key, tls);
        this.metrics = metrics;
        shared = new RemoteHost.Shared(config.maxFrameBytes(), config.queuePerHost(), memory, timers, ticker);
        pools = SenderPools.of(config);
        sweepLater();
    }

    /** The requests to another server, at the transfer address that it registered in the cluster. */
    public PartitionRequests to(ClusterMember member) {
        return hosts.computeIfAbsent(member.transferAddress(), address -> host(member));
    }

    private RemoteHost host(ClusterMember member) {
        String address = member.transferAddress();
        RemoteHost host = new RemoteHost(
                member.id(),
                shared,
                config.pools() == TransferConfig.TransferPools.MULTIPLEXED,
                pools.threadsFor(member.id()),
                pools.connectionsPerServer(),
                () -> ClientConnection.connect(
                        socketAddress(address),
                        this::limitConnect,
                        config.maxFrameBytes(),
                        shared.memory(),
                        identity,
                        shared.ticker()),
                metrics.host(member.id()));
        if (closed) {
            host.close();
        }
        return host;
    }

    private static InetSocketAddress socketAddress(String address) {
        int colon = address.lastIndexOf(':');
        return new InetSocketAddress(
                HostAndPort.bare(address.substring(0, colon)), Integer.parseInt(address.substring(colon + 1)));
    }

    private Runnable limitConnect(SocketChannel channel) {
        TimerWheel.Timeout timeout = shared.timers()
                .schedule(
                        shared.ticker().nanos() + config.connectTimeout().toNanos(),
                        () -> ClientConnection.close(channel));
        return timeout::cancel;
    }

    private void sweepLater() {
        var unused = shared.timers().schedule(shared.ticker().nanos() + SWEEP_INTERVAL.toNanos(), () -> {
            if (closed) {
                return;
            }
            try {
                hosts.values().forEach(RemoteHost::sweep);
            } finally {
                sweepLater();
            }
        });
    }

    /** Requests fail from now on; those in flight end with what is known of their effect. May be called twice. */
    @Override
    public void close() {
        closed = true;
        pools.close(); // queued requests run, and find no connection
        hosts.values().forEach(RemoteHost::close);
    }
}
