// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.io.SelectorManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one address from taking all connections: those beyond its share are closed before a byte of them is read. It
 * remembers open connections only, whose number is bounded.
 *
 * <p>Thread-safe.
 */
final class AddressConnectionLimit implements SelectorManager.AcceptListener {
    private static final Logger LOG = LoggerFactory.getLogger(AddressConnectionLimit.class);

    private final int perAddress;
    private final Map<SelectableChannel, InetAddress> open = new ConcurrentHashMap<>();
    private final Map<InetAddress, Integer> counts = new ConcurrentHashMap<>();

    AddressConnectionLimit(int perAddress) {
        this.perAddress = perAddress;
    }

    @Override
    public void onAccepting(SelectableChannel channel) {
        @Nullable InetAddress address = address(channel);
        if (address == null) {
            return;
        }
        open.put(channel, address);
        if (counts.merge(address, 1, Integer::sum) > perAddress) {
            close(channel); // Jetty finds it closed and says so to onAcceptFailed
        }
    }

    private static @Nullable InetAddress address(SelectableChannel channel) {
        try {
            return channel instanceof SocketChannel socket
                            && socket.getRemoteAddress() instanceof InetSocketAddress remote
                    ? remote.getAddress()
                    : null;
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
        @Nullable InetAddress address = open.remove(channel);
        if (address != null) {
            counts.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
        }
    }

    /** Addresses that have a connection. */
    int addresses() {
        return counts.size();
    }
}
