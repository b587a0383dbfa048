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
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.config.TransferConfig;
import org.talos.server.metrics.TransferMetrics;
import org.talos.server.partition.serving.PartitionRequests;
import org.talos.server.runtime.MemoryBudget;
import org.talos.server.runtime.NamedThreads;
import org.talos.server.runtime.Ticker;
import org.talos.server.transfer.wire.Frame;
import org.talos.server.transfer.wire.TransferKey;

/**
 * The transfer port: answers what other servers ask with what this one serves. A few event loops take the bytes in and
 * send them; who answers must not block.
 *
 * <p>Thread-safe.
 */
public final class TransferServer implements AutoCloseable {
    /** Answers up to this need no room in the memory of transfers. */
    static final int SMALL_BYTES = 4 << 10;

    private static final Logger LOG = LoggerFactory.getLogger(TransferServer.class);
    private static final int LOOPS = 2;
    private static final int MOST_GREETING = 1_000;
    private static final long DRAIN_MILLIS = 5_000;
    private static final long LOG_INTERVAL_NANOS = 1_000_000_000;

    private final EventLoopGroup loops;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final LocalRequests requests;
    private final Channel listening;

    private TransferServer(
            TransferConfig config,
            TransferKey key,
            PartitionRequests local,
            MemoryBudget memory,
            Ticker ticker,
            TransferMetrics metrics)
            throws IOException {
        requests = new LocalRequests(local, ticker);
        Parts parts = new Parts(
                key,
                requests,
                config.maxFrameBytes(),
                config.connectTimeout().toNanos(),
                memory,
                ticker,
                metrics,
                new AtomicInteger(),
                new AtomicLong(ticker.nanos()));
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
                        accept(channel, parts);
                    }
                })
                .bind(config.host(), config.port())
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            var unused = loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            throw new IOException(
                    "transfer port " + config.host() + ":" + config.port() + " can't be used", bound.cause());
        }
        listening = bound.channel();
        LOG.info("transfer port open host={} port={} epoll={}", config.host(), port(), epoll);
    }

    /**
     * Opens the port.
     *
     * @throws IOException the port can't be used
     */
    public static TransferServer start(
            TransferConfig config,
            TransferKey key,
            PartitionRequests local,
            MemoryBudget memory,
            Ticker ticker,
            TransferMetrics metrics)
            throws IOException {
        return new TransferServer(config, key, local, memory, ticker, metrics);
    }

    /**
     * What all connections share. Thread-safe.
     *
     * @param greetingNanos longest that a connection takes to prove the key
     * @param greeting connections that have not proved it yet
     * @param nextLogNanos when a refusal is logged again: whoever reaches the port could fill the disk otherwise
     */
    record Parts(
            TransferKey key,
            LocalRequests requests,
            int maxFrameBytes,
            long greetingNanos,
            MemoryBudget memory,
            Ticker ticker,
            TransferMetrics metrics,
            AtomicInteger greeting,
            AtomicLong nextLogNanos) {
        /** A connection is ended for what it said. */
        void refused(SocketAddress peer, String reason) {
            metrics.connectionRefused();
            long now = ticker.nanos();
            long next = nextLogNanos.get();
            if (now - next >= 0 && nextLogNanos.compareAndSet(next, now + LOG_INTERVAL_NANOS)) {
                LOG.warn("transfer connection ended peer={} reason={}", peer, reason);
            }
        }

        /** A connection ended by itself. */
        void failed(SocketAddress peer, Throwable cause) {
            if (cause instanceof IOException) {
                LOG.debug("transfer connection lost peer={}", peer, cause);
            } else {
                LOG.error("transfer connection failed peer={}", peer, cause);
            }
        }
    }

    /** Bytes that a request takes out of the memory of transfers. */
    static long reserved(int bytes) {
        return bytes + (long) Frame.OVERHEAD_BYTES;
    }

    private void accept(Channel channel, Parts parts) {
        if (parts.greeting().get() >= MOST_GREETING) {
            parts.refused(channel.remoteAddress(), "too many connections without a proof of the key");
            var unused = channel.close();
            return;
        }
        connections.add(channel);
        channel.pipeline().addLast(new ServerConnection(parts));
    }

    /** The port that is open. */
    public int port() {
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    /** Connections that are open. */
    public int connections() {
        return connections.size();
    }

    /**
     * Takes no connection and no put any more, waits a little for the puts that it has, and ends. May be called twice.
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
