// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Bounds open connections without letting a new one wait: beyond the bound, it evicts the oldest connection of the
 * network that has the most. So idle connections cannot keep others out.
 *
 * <p>Thread-safe.
 *
 * @param <C> connections, each equal to itself alone
 */
public final class NetworkTurnover<C> {
    private final int limit;

    /** Networks, in the order in which their connections were opened. */
    @GuardedBy("this")
    private final Map<C, String> open = new LinkedHashMap<>();

    @GuardedBy("this")
    private final Map<String, Integer> counts = new HashMap<>();

    /** @param limit connections that may be open, at least one */
    public NetworkTurnover(int limit) {
        this.limit = limit;
    }

    /**
     * Counts a connection until {@link #remove}.
     *
     * @param network as {@link ClientNetwork} has it
     * @return the connection that is evicted for it, which the caller closes; null if there is room
     */
    public synchronized @Nullable C add(C connection, String network) {
        if (open.putIfAbsent(connection, network) == null) {
            counts.merge(network, 1, Integer::sum);
        }
        if (open.size() <= limit) {
            return null;
        }
        C evicted = oldestOfMost();
        remove(evicted);
        return evicted;
    }

    @GuardedBy("this")
    private C oldestOfMost() {
        int most = Collections.max(counts.values());
        for (Map.Entry<C, String> each : open.entrySet()) {
            if (counts.getOrDefault(each.getValue(), 0) == most) {
                return each.getKey();
            }
        }
        throw new IllegalStateException("no connection is open");
    }

    /** Stops counting a connection. Does nothing for one that is not counted. */
    public synchronized void remove(C connection) {
        @Nullable String network = open.remove(connection);
        if (network != null) {
            counts.computeIfPresent(network, (key, count) -> count == 1 ? null : count - 1);
        }
    }
}
