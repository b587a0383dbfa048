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
 * @param advertisedHost what other servers are told to connect to; empty means {@code host}
 * @param keyFile file with the key that all servers share
 * @param pools whether servers that are asked have threads of their own
 * @param threadsPerHost requests to one server at the same time, without reads that wait
 * @param clientsPerHost connections to one server, without the one of reads that wait
 * @param queuePerHost requests to one server that wait for a thread; also most of its reads that wait for messages
 * @param connectTimeout longest for a connection, proofs of the key included
 * @param maxFrameBytes largest request or answer
 * @param maxMemoryBytes requests and answers on their way, in all
 */
public record TransferConfig(
        String host,
        int port,
        String advertisedHost,
        String keyFile,
        TransferPools pools,
        int threadsPerHost,
        int clientsPerHost,
        int queuePerHost,
        Duration connectTimeout,
        int maxFrameBytes,
        long maxMemoryBytes) {
    /** Checks every bound. */
    public TransferConfig {
        notBlank("transfer.host", host);
        inRange("transfer.port", port, 0, 65_535);
        inRange("transfer.threadsPerHost", threadsPerHost, 1, 1_024);
        inRange("transfer.clientsPerHost", clientsPerHost, 1, 1_024);
        inRange("transfer.queuePerHost", queuePerHost, 1, 1_000_000);
        inRange("transfer.connectTimeout", connectTimeout, Duration.ofMillis(10), Duration.ofMinutes(1));
        inRange("transfer.maxFrameBytes", maxFrameBytes, 64 << 10, 1 << 30);
        inRange("transfer.maxMemoryBytes", maxMemoryBytes, maxFrameBytes, 1L << 40);
    }

    /** Who sends requests to other servers: {@code transfer.pools}. */
    public enum TransferPools {
        /** Each server that is asked has threads, a queue and connections of its own. */
        PER_HOST,
        /** All servers share one pool of threads and one queue: the older model, kept for comparison. */
        SHARED
    }
}
