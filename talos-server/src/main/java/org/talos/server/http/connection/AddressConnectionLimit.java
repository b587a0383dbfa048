// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.connection;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.io.SelectorManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.config.address.AddressRanges;
import org.talos.server.runtime.client.ClientNetwork;

/**
 * Keeps one address from taking all connections: those beyond its share are closed before a byte of them is read. It
 * remembers open connections only, whose number is bounded. Connections of trusted proxies have no such bound; those by
 * which a proxy passes on a client's bytes count for the client.
 *
 * <p>Jetty limits the number of all connections, but not of each address.
 *
 * <p>Thread-safe.
 */
public final class AddressConnectionLimit implements SelectorManager.AcceptListener {
    private static final Logger LOG = LoggerFactory.getLogger(AddressConnectionLimit.class);

    private final int perAddress;
    private final AddressRanges proxies;
    private final Map<SelectableChannel, String> open = new ConcurrentHashMap<>();
    private final Map<String, Integer> counts = new ConcurrentHashMap<>();

    /** @param proxies that are trusted */
    public AddressConnectionLimit(int perAddress, AddressRanges proxies) {
        this.perAddress = perAddress;
        this.proxies = proxies;
    }

    @Override
    public void onAccepting(SelectableChannel channel) {
        SocketAddress remote = remote(channel);
        if (remote instanceof InetSocketAddress internet
                && !proxies.contains(internet)
                && !count(channel, ClientNetwork.of(internet))) {
            close(channel); // Jetty finds it closed and says so to onAcceptFailed
        }
    }

    private static @Nullable SocketAddress remote(SelectableChannel channel) {
        try {
            return channel instanceof SocketChannel socket ? socket.getRemoteAddress() : null;
        } catch (IOException e) {
            return null; // gone already
        }
    }

    /**
     * Counts a connection of a proxy for its client, whose address it has named.
     *
     * @return false if the client has more than its share
     */
    public boolean admits(SelectableChannel channel, InetAddress client) {
        boolean isWithin = count(channel, ClientNetwork.of(client));
        if (!channel.isOpen()) {
            onClosed(channel); // it may have been closed before it was counted
        }
        return isWithin;
    }

    private boolean count(SelectableChannel channel, String network) {
        open.put(channel, network);
        return counts.merge(network, 1, Integer::sum) <= perAddress;
    }

    private static void close(SelectableChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("connection beyond its address's share not closed cleanly", e);
        }
    }

    @Override
    public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
        onClosed(channel);
    }

    @Override
    public void onClosed(SelectableChannel channel) {
        @Nullable String network = open.remove(channel);
        if (network != null) {
            counts.computeIfPresent(network, (key, count) -> count == 1 ? null : count - 1);
        }
    }
}
