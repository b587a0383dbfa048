// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.fairness;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.eclipse.jetty.http2.frames.PingFrame;
import org.eclipse.jetty.http2.frames.SettingsFrame;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.RateControl;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.io.WindowRateControl;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.Ticker;

/**
 * Bounds the events of HTTP/2 that cost the server more than the client: those of one connection, and those of all
 * connections of an address and of a user together. A connection that brings too many ends. New connections of an
 * address that continues are closed for a while before a byte of them is read.
 *
 * <p>Every connection begins with settings, and keeps itself open with pings. Both count for their connection only.
 *
 * <p>Thread-safe.
 */
public final class SharedEvents implements SelectorManager.AcceptListener {
    /** Times what one connection may have. */
    static final int SHARED = 8;

    private static final Logger LOG = LoggerFactory.getLogger(SharedEvents.class);
    private static final int MOST_KEYS = 10_000;
    private static final int NETWORK_BYTES = 8; // of an IPv6 address: a client has all addresses of such a network

    private final int perConnection;
    private final Ticker ticker;

    @GuardedBy("this")
    private final EventCounts addresses;

    @GuardedBy("this")
    private final EventCounts users;

    /** @param perSecond events of one connection */
    public SharedEvents(int perSecond, Ticker ticker) {
        perConnection = perSecond;
        this.ticker = ticker;
        int shared = (int) Math.min(Integer.MAX_VALUE, (long) perSecond * SHARED);
        addresses = new EventCounts(shared, MOST_KEYS);
        users = new EventCounts(shared, MOST_KEYS);
    }

    /** Returns the count of a new connection. */
    public Connection of(EndPoint endPoint) {
        return new Connection(key(endPoint.getRemoteSocketAddress()));
    }

    private synchronized boolean count(@Nullable Object address, @Nullable String user) {
        long now = ticker.nanos();
        boolean isLittle = address == null || addresses.count(address, now);
        return (user == null || users.count(user, now)) && isLittle;
    }

    private synchronized boolean isRefused(Object address) {
        return addresses.isRefused(address, ticker.nanos());
    }

    /** The address, or the network of an IPv6 address; null if there is none. */
    private static @Nullable Object key(@Nullable SocketAddress remote) {
        @Nullable InetAddress address = remote instanceof InetSocketAddress internet ? internet.getAddress() : null;
        return address instanceof Inet6Address
                ? ByteBuffer.wrap(address.getAddress(), 0, NETWORK_BYTES).slice()
                : address;
    }

    @Override
    public void onAccepting(SelectableChannel channel) {
        try {
            @Nullable Object address = channel instanceof SocketChannel socket ? key(socket.getRemoteAddress()) : null;
            if (address != null && isRefused(address)) {
                channel.close(); // Jetty finds it closed
            }
        } catch (IOException e) {
            LOG.debug("connection of a refused address not closed cleanly", e);
        }
    }

    /** The events of one connection. Thread-safe. */
    public final class Connection implements RateControl {
        private final RateControl own = new WindowRateControl(perConnection, Duration.ofSeconds(1));
        private final @Nullable Object address;
        private volatile @Nullable String user;
        private volatile boolean ended;

        private Connection(@Nullable Object address) {
            this.address = address;
        }

        /** Counts what comes from now on for this user, too. */
        public void sentBy(String userId) {
            if (!userId.equals(user)) {
                user = userId;
            }
        }

        @Override
        public boolean onEvent(Object event) {
            if (ended) {
                return false; // counted already
            }
            boolean isShared = !(event instanceof PingFrame || event instanceof SettingsFrame);
            boolean isLittle = own.onEvent(event);
            if ((isShared && !count(address, user)) || !isLittle) {
                ended = true;
            }
            return !ended;
        }
    }
}
