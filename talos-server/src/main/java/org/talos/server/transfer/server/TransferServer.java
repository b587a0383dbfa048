// SPDX-License-Identifier: Apache-2.0
package org.talos.server.transfer.server;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.config.TransferConfig;
import org.talos.server.config.TransferTlsConfig.TlsMode;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metrics.TransferMetrics;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.runtime.PortFailure;
import org.talos.server.runtime.client.ClientNetwork;
import org.talos.server.runtime.client.NetworkTurnover;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.transfer.tls.TlsFailure;
import org.talos.server.transfer.tls.TransferTls;
import org.talos.server.transfer.wire.Frame;
import org.talos.server.transfer.wire.TransferKey;

/**
 * The transfer port: answers other servers' requests from the partitions that this server serves. Event loops read
 * requests and write answers; the {@link PartitionRequests} behind them must not block.
 *
 * <p>Thread-safe.
 */
public final class TransferServer implements AutoCloseable {
    /** The largest answer that reserves no memory. */
    static final int SMALL_BYTES = 4 << 10;

    private static final Logger LOG = LoggerFactory.getLogger(TransferServer.class);
    private static final int LOOPS = 2;
    private static final int MOST_HANDSHAKES = 1_000;
    private static final long DRAIN_MILLIS = 5_000;

    private final EventLoopGroup loops;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final LocalRequests requests;
    private final Channel listening;

    private TransferServer(
            TransferConfig config,
            TransferKey key,
            TransferTls tls,
            PartitionRequests local,
            MemoryBudget memory,
            Ticker ticker,
            TransferMetrics metrics)
            throws IOException {
        requests = new LocalRequests(local, ticker);
        Shared shared = new Shared(
                new Handshakes(key, tls, config.connectTimeout().toNanos(), new NetworkTurnover<>(MOST_HANDSHAKES)),
                requests,
                config.maxFrameBytes(),
                memory,
                ticker,
                metrics,
                new RefusalLog(ticker));
        boolean epoll = Epoll.isAvailable();
        NamedThreads threads = new NamedThreads("transfer-loop");
        loops = epoll ? new EpollEventLoopGroup(LOOPS, threads) : new NioEventLoopGroup(LOOPS, threads);
        Class<? extends ServerChannel> type = epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
        ChannelFuture bound = new ServerBootstrap()
                .group(loops)
                .channel(type)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        accept(channel, shared);
                    }
                })
                .bind(config.host(), config.port())
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            var unused = loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            throw PortFailure.of("transfer", config.host(), config.port(), failure(bound.cause()));
        }
        listening = bound.channel();
        LOG.info("transfer port open host={} port={} epoll={}", config.host(), port(), epoll);
    }

    /** Converts an exception of epoll to the JDK's. */
    private static Exception failure(Throwable cause) {
        if (!(cause instanceof IOException) || cause instanceof BindException) {
            return new IOException(cause);
        }
        BindException failure = new BindException(cause.getMessage());
        failure.initCause(cause);
        return failure;
    }

    /**
     * Opens the port.
     *
     * @throws IOException the port cannot be used
     */
    public static TransferServer start(
            TransferConfig config,
            TransferKey key,
            TransferTls tls,
            PartitionRequests local,
            MemoryBudget memory,
            Ticker ticker,
            TransferMetrics metrics)
            throws IOException {
        return new TransferServer(config, key, tls, local, memory, ticker, metrics);
    }

    /**
     * The proof of the key with which each connection begins. Thread-safe.
     *
     * @param nanos longest that a connection may take to prove the key
     * @param open connections that have not proved it yet
     */
    record Handshakes(TransferKey key, TransferTls tls, long nanos, NetworkTurnover<Channel> open) {}

    /**
     * The parts that all connections share. Thread-safe.
     *
     * @param refusals which refused connections are logged
     */
    record Shared(
            Handshakes handshakes,
            LocalRequests requests,
            int maxFrameBytes,
            MemoryBudget memory,
            Ticker ticker,
            TransferMetrics metrics,
            RefusalLog refusals) {
        /** Counts a connection that has not proved the key yet. Beyond the bound, another one is closed. */
        void begin(Channel channel) {
            @Nullable Channel evicted = handshakes.open.add(channel, ClientNetwork.of(channel.remoteAddress()));
            if (evicted != null) {
                refused(evicted.remoteAddress(), "too many connections without a proof of the key");
                var unused = evicted.close();
            }
        }

        /** Counts and logs a connection that is closed because of bytes that it has sent, or failed to send. */
        void refused(SocketAddress peer, String reason) {
            metrics.connectionRefused();
            if (refusals.isDue(peer)) {
                LOG.warn("transfer connection ended peer={} reason={}", peer, reason);
            }
        }

        /** Logs a connection that failed. */
        void failed(SocketAddress peer, Throwable cause) {
            if (TlsFailure.is(cause)) {
                refused(peer, TlsFailure.sentence(cause));
            } else if (cause instanceof IOException) {
                LOG.debug("transfer connection lost peer={}", peer, cause);
            } else {
                LOG.error("transfer connection failed peer={}", peer, cause);
            }
        }
    }

    /** Returns the bytes of {@code transfer.maxMemoryBytes} that a request reserves. */
    static long reserved(int bytes) {
        return bytes + (long) Frame.OVERHEAD_BYTES;
    }

    private void accept(Channel channel, Shared shared) {
        TransferTls tls = shared.handshakes().tls;
        connections.add(channel);
        if (tls.mode() != TlsMode.NONE) {
            channel.pipeline().addLast(new TlsDetection(tls));
        }
        channel.pipeline().addLast(new ServerConnection(shared));
    }

    /** Returns the open port. */
    public int port() {
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    /** Returns the number of open connections. */
    public int connections() {
        return connections.size();
    }

    /**
     * Refuses connections and puts, waits up to 5 s for the answers of puts in flight, then closes all connections. May
     * be called twice.
     */
    @Override
    public void close() {
        listening.close().awaitUninterruptibly();
        try {
            requests.drain(DRAIN_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        connections.close().awaitUninterruptibly();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
