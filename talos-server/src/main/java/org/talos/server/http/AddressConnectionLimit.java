// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.io.IOException;
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
import org.talos.server.runtime.ClientNetwork;

/**
 * Keeps one address from taking all connections: those beyond its share are closed before a byte of them is read. It
 * remembers open connections only, whose number is bounded.
 *
 * <p>Thread-safe.
 */
final class AddressConnectionLimit implements SelectorManager.AcceptListener {
    private static final Logger LOG = LoggerFactory.getLogger(AddressConnectionLimit.class);

    private final int perAddress;
    private final Map<SelectableChannel, String> open = new ConcurrentHashMap<>();
    private final Map<String, Integer> counts = new ConcurrentHashMap<>();

    AddressConnectionLimit(int perAddress) {
        this.perAddress = perAddress;
    }

    @Override
    public void onAccepting(SelectableChannel channel) {
        @Nullable String network = network(channel);
        if (network == null) {
            return;
        }
        open.put(channel, network);
        if (counts.merge(network, 1, Integer::sum) > perAddress) {
            close(channel); // Jetty finds it closed and says so to onAcceptFailed
        }
    }

    private static @Nullable String network(SelectableChannel channel) {
        try {
            SocketAddress remote = channel instanceof SocketChannel socket ? socket.getRemoteAddress() : null;
            return remote instanceof InetSocketAddress internet ? ClientNetwork.of(internet) : null;
        } catch (IOException e) {
            return null; // gone already
        }
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

    /** Addresses that have a connection. */
    int addresses() {
        return counts.size();
    }
}
