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
 * The servers that a client was told of, and which of them do not answer. The one in use stays in use until it fails or
 * has to pass; one that failed is left alone for a while.
 *
 * <p>Thread-safe.
 */
public final class Endpoints {
    private static final long ALONE_NANOS = Duration.ofSeconds(10).toNanos();

    private final List<URI> servers;
    private final LongSupplier nanos;
    private final AtomicInteger current = new AtomicInteger();
    private final Map<URI, Long> failedAt = new ConcurrentHashMap<>();

    /**
     * All are taken to be well.
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

    /** Which to use now: when none is well, the next in turn. */
    public URI next() {
        int from = current.get();
        for (int i = 0; i < servers.size(); i++) {
            int index = (from + i) % servers.size();
            if (isWell(servers.get(index))) {
                current.compareAndSet(from, index);
                return servers.get(index);
            }
        }
        return servers.get(from);
    }

    /** Whether a server has not failed lately. */
    public boolean isWell(URI server) {
        Long at = failedAt.get(server);
        return at == null || nanos.getAsLong() - at >= ALONE_NANOS;
    }

    /** It could not be reached, or did not answer. */
    public void failed(URI server) {
        failedAt.put(server, nanos.getAsLong());
        pass(server);
    }

    /** It is well, but another one may know more: the next is used from now on. */
    public void pass(URI server) {
        int index = servers.indexOf(server);
        if (index >= 0) {
            current.compareAndSet(index, (index + 1) % servers.size());
        }
    }

    /** It answered. */
    public void answered(URI server) {
        failedAt.remove(server);
    }

    /** A server's scheme is that of the endpoints: what is routed to directly is reached as safely as they are. */
    String scheme() {
        return servers.get(0).getScheme();
    }
}
