// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.config.TransferConfig;
import org.talos.server.config.TransferConfig.TransferPools;
import org.talos.server.metrics.TransferMetrics;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.runtime.MemoryBudget;
import org.talos.server.runtime.NamedThreads;
import org.talos.server.runtime.Ticker;
import org.talos.server.runtime.TimerWheel;
import org.talos.server.transfer.server.TransferServer;
import org.talos.server.transfer.wire.TransferKey;

/**
 * Asks other servers: the clients of {@link TransferServer}. Unless it is configured otherwise, each server that is
 * asked has threads, a queue and connections of its own, so one that is slow or gone holds up nobody else's requests.
 *
 * <p>Thread-safe.
 */
public final class Transfer implements AutoCloseable {
    // Of the older model, Talos 2.1.5.
    private static final int SHARED_THREADS = 200;
    private static final int SHARED_CLIENTS_PER_HOST = 100;

    private static final Duration KEEP_IDLE_THREAD = Duration.ofSeconds(60);
    private static final Duration SWEEP_INTERVAL = Duration.ofSeconds(30);

    private final TransferConfig config;
    private final TransferKey key;
    private final TransferMetrics metrics;
    private final RemoteHost.Parts parts;
    private final Map<String, Host> hosts = new ConcurrentHashMap<>(); // by transfer address
    private final @Nullable ThreadPoolExecutor shared;
    private volatile boolean closed;

    /** One server's requests, and who sends them. Immutable. */
    private record Host(RemoteHost requests, ThreadPoolExecutor threads) {}

    /** Nothing is connected before it is asked for. */
    public Transfer(
            TransferConfig config,
            TransferKey key,
            MemoryBudget memory,
            TimerWheel timers,
            Ticker ticker,
            TransferMetrics metrics) {
        this.config = config;
        this.key = key;
        this.metrics = metrics;
        parts = new RemoteHost.Parts(config.maxFrameBytes(), config.queuePerHost(), memory, timers, ticker);
        shared = config.pools() == TransferPools.SHARED ? threads("transfer", SHARED_THREADS) : null;
        sweepLater();
    }

    private ThreadPoolExecutor threads(String role, int most) {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                most,
                most,
                KEEP_IDLE_THREAD.toSeconds(),
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(config.queuePerHost()),
                new NamedThreads(role));
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /** The requests of another server. It is connected to where it says, which only members of the cluster can. */
    public PartitionRequests to(ClusterMember member) {
        return hosts.computeIfAbsent(member.transferAddress(), address -> host(member)).requests;
    }

    private Host host(ClusterMember member) {
        ThreadPoolExecutor threads =
                shared == null ? threads("transfer-" + member.id(), config.threadsPerHost()) : shared;
        int clients = shared == null ? config.clientsPerHost() : SHARED_CLIENTS_PER_HOST;
        String address = member.transferAddress();
        RemoteHost requests = new RemoteHost(
                member.id(),
                parts,
                threads,
                clients,
                () -> Client.connect(
                        socketAddress(address), this::connectTime, config.maxFrameBytes(), parts.memory(), key),
                metrics.host(member.id()));
        if (closed) {
            requests.close();
            threads.shutdown();
        }
        return new Host(requests, threads);
    }

    private static InetSocketAddress socketAddress(String address) {
        int colon = address.lastIndexOf(':');
        String host = address.substring(0, colon);
        boolean brackets = host.startsWith("[") && host.endsWith("]"); // around an address of IPv6
        return new InetSocketAddress(
                brackets ? host.substring(1, host.length() - 1) : host, Integer.parseInt(address.substring(colon + 1)));
    }

    private Runnable connectTime(SocketChannel channel) {
        TimerWheel.Timeout timeout = parts.timers()
                .schedule(parts.ticker().nanos() + config.connectTimeout().toNanos(), () -> Client.close(channel));
        return timeout::cancel;
    }

    private void sweepLater() {
        var unused = parts.timers().schedule(parts.ticker().nanos() + SWEEP_INTERVAL.toNanos(), () -> {
            if (!closed) {
                hosts.values().forEach(each -> each.requests.sweep());
                sweepLater();
            }
        });
    }

    /** Requests fail from now on; those on their way say what is known of them. May be called twice. */
    @Override
    public void close() {
        closed = true;
        for (Host each : hosts.values()) {
            each.threads.shutdown(); // those that wait run, and find no connection
            each.requests.close();
        }
        if (shared != null) {
            shared.shutdown();
        }
    }
}
