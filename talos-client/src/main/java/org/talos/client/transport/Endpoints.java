// SPDX-License-Identifier: Apache-2.0
package org.talos.client.transport;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The configured servers, and which of them failed lately. The current one is used until it fails or is skipped; a
 * server that failed is avoided for 10 s.
 *
 * <p>Thread-safe.
 */
public final class Endpoints {
    private static final long AVOIDED_NANOS = Duration.ofSeconds(10).toNanos();

    private final List<URI> servers;
    private final LongSupplier nanos;
    private final AtomicInteger current = new AtomicInteger();
    private final Map<URI, Long> failedAt = new ConcurrentHashMap<>();

    /**
     * Creates the endpoints, of which none has failed yet.
     *
     * @param servers one or more, in order of preference
     * @param nanos a monotonic clock
     */
    public Endpoints(List<URI> servers, LongSupplier nanos) {
        if (servers.isEmpty()) {
            throw new IllegalArgumentException("endpoints: none (expected: 1 or more)");
        }
        this.servers = List.copyOf(servers);
        this.nanos = nanos;
    }

    /**
     * Returns the server to call now: the current one, or the next that has not failed lately; the current if all have.
     */
    public URI next() {
        int from = current.get();
        for (int i = 0; i < servers.size(); i++) {
            int index = (from + i) % servers.size();
            if (isHealthy(servers.get(index))) {
                current.compareAndSet(from, index);
                return servers.get(index);
            }
        }
        return servers.get(from);
    }

    /** Returns whether a server has not failed within the last 10 s. */
    public boolean isHealthy(URI server) {
        Long at = failedAt.get(server);
        return at == null || nanos.getAsLong() - at >= AVOIDED_NANOS;
    }

    /** Avoids a server that could not be reached or did not answer, and moves on to the next. */
    public void failed(URI server) {
        failedAt.put(server, nanos.getAsLong());
        skip(server);
    }

    /** Moves on to the next server, because this one answers but does not serve the partition. */
    public void skip(URI server) {
        int index = servers.indexOf(server);
        if (index >= 0) {
            current.compareAndSet(index, (index + 1) % servers.size());
        }
    }

    /** Clears the failure of a server that has answered. */
    public void answered(URI server) {
        failedAt.remove(server);
    }

    /**
     * Returns the endpoints' scheme, also used for servers that are called directly, so that those connections are
     * equally secure.
     */
    String scheme() {
        return servers.get(0).getScheme();
    }
}
