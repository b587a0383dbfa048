// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import static org.talos.server.config.Checks.inRange;
import static org.talos.server.config.Checks.notBlank;

import java.time.Duration;

/**
 * Requests between servers: {@code transfer}. Used only with {@code cluster.coordination: zookeeper}. Immutable.
 *
 * @param host address that other servers connect to
 * @param port 0 picks a free one
 * @param advertisedHost host that other servers connect to; empty means {@code host}
 * @param keyFile file with the key that all servers share
 * @param tls encryption of connections between servers, and certificates by which they know each other
 * @param queuePerHost requests to one server that wait to be sent; also the limit of those in flight, and of those that
 *     wait there for messages; each is shared by the users
 * @param connectTimeout of a connection, proofs of the key included
 * @param maxFrameBytes largest request or answer
 * @param maxMemoryBytes all requests and answers in flight
 */
public record TransferConfig(
        String host,
        int port,
        String advertisedHost,
        String keyFile,
        TransferTlsConfig tls,
        int queuePerHost,
        Duration connectTimeout,
        int maxFrameBytes,
        long maxMemoryBytes) {
    /** Checks every bound. */
    public TransferConfig {
        notBlank("transfer.host", host);
        inRange("transfer.port", port, 0, 65_535);
        inRange("transfer.queuePerHost", queuePerHost, 1, 1_000_000);
        inRange("transfer.connectTimeout", connectTimeout, Duration.ofMillis(10), Duration.ofMinutes(1));
        inRange("transfer.maxFrameBytes", maxFrameBytes, 64 << 10, 1 << 30);
        inRange("transfer.maxMemoryBytes", maxMemoryBytes, maxFrameBytes, 1L << 40);
    }
}
