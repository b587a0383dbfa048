// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.management;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.jspecify.annotations.Nullable;

/**
 * Bounds open connections without letting a new one wait: it evicts the oldest connection of the address that has most.
 * So idle connections cannot keep a probe from being answered.
 *
 * <p>Thread-safe.
 */
final class ConnectionTurnover implements Connection.Listener {
    private final int limit;
    /** Addresses, in the order in which their connections were opened. */
    @GuardedBy("this")
    private final Map<EndPoint, String> open = new LinkedHashMap<>();

    ConnectionTurnover(int limit) {
        this.limit = limit;
    }

    @Override
    public void onOpened(Connection connection) {
        EndPoint given = replacedFor(connection.getEndPoint());
        if (given != null) {
            given.close();
        }
    }

    private synchronized @Nullable EndPoint replacedFor(EndPoint opened) {
        open.put(opened, address(opened));
        if (open.size() <= limit) {
            return null;
        }
        String most = addressWithMost(open.values());
        EndPoint oldest = opened;
        for (Map.Entry<EndPoint, String> each : open.entrySet()) {
            if (each.getValue().equals(most)) {
                oldest = each.getKey();
                break;
            }
        }
        open.remove(oldest);
        return oldest;
    }

    private static String addressWithMost(Collection<String> addresses) {
        Map<String, Integer> counts = new HashMap<>();
        addresses.forEach(address -> counts.merge(address, 1, Integer::sum));
        return counts.entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .orElse("");
    }

    private static String address(EndPoint endPoint) {
        return endPoint.getRemoteSocketAddress() instanceof InetSocketAddress remote && remote.getAddress() != null
                ? remote.getAddress().getHostAddress()
                : "";
    }

    @Override
    public void onClosed(Connection connection) {
        synchronized (this) {
            open.remove(connection.getEndPoint());
        }
    }
}
