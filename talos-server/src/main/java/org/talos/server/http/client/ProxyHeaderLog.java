// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.nio.channels.SelectableChannel;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.time.Ticker;

/**
 * Logs connections of trusted proxies that lack a header of the PROXY protocol: a line in ten seconds at most.
 *
 * <p>Thread-safe.
 */
public final class ProxyHeaderLog implements ProxyListener {
    private static final Logger LOG = LoggerFactory.getLogger(ProxyHeaderLog.class);
    private static final long INTERVAL_NANOS = Duration.ofSeconds(10).toNanos();

    private final BiPredicate<SelectableChannel, InetAddress> admits;
    private final Ticker ticker;
    private final AtomicLong nextNanos;

    /** @param admits whether a connection of a client may stay */
    public ProxyHeaderLog(BiPredicate<SelectableChannel, InetAddress> admits, Ticker ticker) {
        this.admits = admits;
        this.ticker = ticker;
        nextNanos = new AtomicLong(ticker.nanos());
    }

    @Override
    public boolean admits(SelectableChannel channel, InetAddress client) {
        return admits.test(channel, client);
    }

    @Override
    public void refused(SocketAddress proxy, IOException why) {
        long next = nextNanos.get();
        long now = ticker.nanos();
        if (now - next >= 0 && nextNanos.compareAndSet(next, now + INTERVAL_NANOS)) {
            LOG.warn(
                    "connection of a trusted proxy refused proxy={} cause={}: have it send the PROXY protocol, or set"
                            + " http.proxyProtocol to false",
                    proxy,
                    why.getMessage());
        }
    }
}
