// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.client;

import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.talos.common.name.HostAndPort;
import org.talos.server.cluster.ClusterMember;
import org.talos.server.config.TransferConfig;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metrics.TransferMetrics;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.transfer.server.TransferServer;

/**
 * Sends requests to other servers, to their {@link TransferServer}. {@link RequestSenders} decides which threads and
 * connections do so. Each server has a breaker and bounds of its own.
 *
 * <p>Thread-safe.
 */
public final class Transfer implements AutoCloseable {
    private final TransferConfig config;
    private final ClientConnection.Identity identity;
    private final TransferMetrics metrics;
    private final TransferParts parts;
    private final RequestSenders senders;
    private final Map<String, RemoteHost> hosts = new ConcurrentHashMap<>(); // by transfer address
    private volatile boolean closed;

    /**
     * Creates the senders of requests. A connection is opened with a server's first request.
     *
     * @param senders closed by {@link #close}
     */
    public Transfer(
            TransferConfig config,
            RequestSenders senders,
            ClientConnection.Identity identity,
            MemoryBudget memory,
            TimerWheel timers,
            Ticker ticker,
            TransferMetrics metrics) {
        this.config = config;
        this.senders = senders;
        this.identity = identity;
        this.metrics = metrics;
        parts = new TransferParts(config.maxFrameBytes(), config.queuePerHost(), memory, timers, ticker);
    }

    /** Returns the requests to another server, at the transfer address that it registered in the cluster. */
    public PartitionRequests to(ClusterMember member) {
        return hosts.computeIfAbsent(member.transferAddress(), address -> host(member));
    }

    private RemoteHost host(ClusterMember member) {
        String address = member.transferAddress();
        RemoteHost host = new RemoteHost(
                member.id(),
                parts,
                senders,
                () -> ClientConnection.connect(
                        socketAddress(address),
                        this::limitConnect,
                        config.maxFrameBytes(),
                        parts.memory(),
                        identity,
                        parts.ticker()),
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
        TimerWheel.Timeout timeout = parts.timers()
                .schedule(
                        parts.ticker().nanos() + config.connectTimeout().toNanos(),
                        () -> ClientConnection.close(channel));
        return timeout::cancel;
    }

    /** Fails requests from now on; those in flight end with their known effect. May be called twice. */
    @Override
    public void close() {
        closed = true;
        senders.close(); // queued requests run, and find no connection
        hosts.values().forEach(RemoteHost::close);
    }
}
