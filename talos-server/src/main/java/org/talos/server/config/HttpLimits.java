// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import static org.talos.server.config.Checks.inRange;

import java.time.Duration;

/**
 * Limits of the front end for each client: {@code http.limits}. Immutable.
 *
 * @param headTimeout from a connection's accept to its first whole head, and from the first byte of a later head to its
 *     last; and for a refusal over HTTP/2 to be taken
 * @param connectionsPerAddress open connections of one address
 * @param acceptsPerSecond new connections of all addresses; beyond it they wait to be accepted
 * @param failedKeysPerMinute requests of one address with wrong credentials; beyond it wrong ones get 429, late
 * @param http2EventsPerSecond pings, resets, settings and broken frames of one HTTP/2 connection, pings and empty
 *     frames of one stream; beyond it the connection ends. All connections of an address, and of a user, may have eight
 *     times as many resets and broken frames
 * @param streams requests without an end: streams, event streams, and puts of lines
 * @param streamsPerUser those of one user
 * @param waitingPerUser requests of one user that wait for messages, event streams among them
 */
public record HttpLimits(
        Duration headTimeout,
        int connectionsPerAddress,
        int acceptsPerSecond,
        int failedKeysPerMinute,
        int http2EventsPerSecond,
        int streams,
        int streamsPerUser,
        int waitingPerUser) {

    /** Checks every bound. */
    public HttpLimits {
        inRange("http.limits.headTimeout", headTimeout, Duration.ofMillis(100), Duration.ofMinutes(10));
        inRange("http.limits.connectionsPerAddress", connectionsPerAddress, 1, 1_000_000);
        inRange("http.limits.acceptsPerSecond", acceptsPerSecond, 1, 1_000_000);
        inRange("http.limits.failedKeysPerMinute", failedKeysPerMinute, 1, 1_000_000);
        inRange("http.limits.http2EventsPerSecond", http2EventsPerSecond, 1, 1_000_000);
        inRange("http.limits.streams", streams, 0, 1_000_000);
        inRange("http.limits.streamsPerUser", streamsPerUser, 0, 1_000_000);
        inRange("http.limits.waitingPerUser", waitingPerUser, 1, 1_000_000);
    }
}
