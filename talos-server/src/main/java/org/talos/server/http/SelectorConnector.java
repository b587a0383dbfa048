// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Executor;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Listens, and runs what continues a request on the thread of the selector that has its connection: under load that
 * thread is awake anyway, and takes what has gathered in one go. A thread of the pool would have to be woken for each.
 *
 * <p>Thread-safe.
 */
final class SelectorConnector extends ServerConnector {
    private final LargeBodies largeBodies = new LargeBodies();

    SelectorConnector(Server server, int selectors, ConnectionFactory... factories) {
        super(server, null, null, null, 1, selectors, factories);
        addBean(largeBodies);
    }

    @Override
    protected SelectorManager newSelectorManager(Executor executor, Scheduler scheduler, int selectors) {
        return new ServerConnectorManager(executor, scheduler, selectors) {
            @Override
            protected ManagedSelector newSelector(int id) {
                return new SelectorTurn(this, id);
            }
        };
    }

    /** Runs tasks on the thread of the selector that has the request's connection, in their order; null for none. */
    static @Nullable Executor selectorOf(Request request) {
        EndPoint endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
        if (endPoint instanceof SslConnection.SslEndPoint encrypted) {
            endPoint = encrypted.getSslConnection().getEndPoint();
        }
        return endPoint instanceof SelectedEndPoint selected ? selected.turn : null;
    }

    /** Where requests with large bodies go on, if selectors' threads are not to. */
    static LargeBodies largeBodiesOf(Request request) {
        return ((SelectorConnector) request.getConnectionMetaData().getConnector()).largeBodies;
    }

    @Override
    protected SocketChannelEndPoint newEndPoint(SocketChannel channel, ManagedSelector selector, SelectionKey key) {
        SocketChannelEndPoint endPoint = new SelectedEndPoint(channel, (SelectorTurn) selector, key, getScheduler());
        endPoint.setIdleTimeout(getIdleTimeout());
        return endPoint;
    }

    /** A connection that knows its selector. Thread-safe. */
    private static final class SelectedEndPoint extends SocketChannelEndPoint {
        private final SelectorTurn turn;

        SelectedEndPoint(SocketChannel channel, SelectorTurn selector, SelectionKey key, Scheduler scheduler) {
            super(channel, selector, key, scheduler);
            turn = selector;
        }
    }
}
