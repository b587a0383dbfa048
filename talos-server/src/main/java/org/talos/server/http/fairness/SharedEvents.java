// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.fairness;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketAddress;
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
import org.talos.server.config.address.AddressRanges;
import org.talos.server.runtime.client.ClientNetwork;
import org.talos.server.runtime.time.Ticker;

/**
 * Limits the HTTP/2 events that cost the server more than the client: those of one connection, and those of all
 * connections of an address and of a user together. A connection with too many events ends. If its address continues,
 * new connections are closed for a while before a byte of them is read.
 *
 * <p>Every connection begins with settings, and keeps itself open with pings. Both count for their connection only.
 *
 * <p>On a connection of a trusted proxy, only these events count: other events come from many clients, all of them
 * unknown.
 *
 * <p>Thread-safe.
 */
public final class SharedEvents implements SelectorManager.AcceptListener {
    /** Factor of the limit for one connection. */
    static final int SHARED = 8;

    private static final Logger LOG = LoggerFactory.getLogger(SharedEvents.class);
    private static final int MOST_KEYS = 10_000;

    private final int perConnection;
    private final AddressRanges proxies;
    private final Ticker ticker;

    @GuardedBy("this")
    private final EventCounts addresses;

    @GuardedBy("this")
    private final EventCounts users;

    /**
     * Counts nothing yet.
     *
     * @param perSecond events of one connection
     * @param proxies that are trusted
     */
    public SharedEvents(int perSecond, AddressRanges proxies, Ticker ticker) {
        perConnection = perSecond;
        this.proxies = proxies;
        this.ticker = ticker;
        int shared = (int) Math.min(Integer.MAX_VALUE, (long) perSecond * SHARED);
        addresses = new EventCounts(shared, MOST_KEYS);
        users = new EventCounts(shared, MOST_KEYS);
    }

    /** Returns the count of a new connection. */
    public Connection of(EndPoint endPoint) {
        SocketAddress remote = endPoint.getRemoteSocketAddress();
        return new Connection(proxies.contains(remote) ? null : ClientNetwork.of(remote));
    }

    private synchronized boolean count(String network, @Nullable String user) {
        long now = ticker.nanos();
        boolean isLittle = addresses.count(network, now);
        return (user == null || users.count(user, now)) && isLittle;
    }

    private synchronized boolean isRefused(String network) {
        return addresses.isRefused(network, ticker.nanos());
    }

    /** Returns whether new connections of a client are closed now. */
    public boolean isRefused(InetAddress client) {
        return isRefused(ClientNetwork.of(client));
    }

    @Override
    public void onAccepting(SelectableChannel channel) {
        try {
            if (channel instanceof SocketChannel socket && isRefused(ClientNetwork.of(socket.getRemoteAddress()))) {
                channel.close(); // Jetty finds it closed
            }
        } catch (IOException e) {
            LOG.debug("connection of a refused address not closed cleanly", e);
        }
    }

    /** The events of one connection. Thread-safe. */
    public final class Connection implements RateControl {
        private final RateControl own = new WindowRateControl(perConnection, Duration.ofSeconds(1));
        private final @Nullable String network; // null of a trusted proxy
        private volatile @Nullable String user;
        private volatile boolean ended;

        private Connection(@Nullable String network) {
            this.network = network;
        }

        /** Counts later events for this user, too. */
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
            @Nullable String counted = network;
            if (isShared && counted == null) {
                return true;
            }
            boolean isLittle = own.onEvent(event);
            if ((isShared && counted != null && !count(counted, user)) || !isLittle) {
                ended = true;
            }
            return !ended;
        }
    }
}
