// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.management;

import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.jspecify.annotations.Nullable;
import org.talos.server.runtime.client.ClientNetwork;
import org.talos.server.runtime.client.NetworkTurnover;

/**
 * Closes connections of a port beyond a bound, as {@link NetworkTurnover} chooses them. So idle connections cannot keep
 * a probe from being answered.
 *
 * <p>Thread-safe.
 */
final class ConnectionTurnover implements Connection.Listener {
    private final NetworkTurnover<EndPoint> open;

    ConnectionTurnover(int limit) {
        open = new NetworkTurnover<>(limit);
    }

    @Override
    public void onOpened(Connection connection) {
        EndPoint opened = connection.getEndPoint();
        @Nullable EndPoint evicted = open.add(opened, ClientNetwork.of(opened.getRemoteSocketAddress()));
        if (evicted != null) {
            evicted.close();
        }
    }

    @Override
    public void onClosed(Connection connection) {
        open.remove(connection.getEndPoint());
    }
}
