// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import static org.talos.server.config.Checks.inRange;

import java.time.Duration;

/**
 * Authentication: {@code auth}. Immutable.
 *
 * @param clockTolerance how far a request's timestamp may be from the server's clock, either way
 * @param maxStreamTokenAge longest that a token for an event stream may live
 * @param requireRequestDigest whether signed requests over REST that may change something need a digest of their query
 *     and headers
 */
public record AuthConfig(Duration clockTolerance, Duration maxStreamTokenAge, boolean requireRequestDigest) {
    /** Checks the bounds. */
    public AuthConfig {
        inRange("auth.clockTolerance", clockTolerance, Duration.ofSeconds(1), Duration.ofDays(1));
        inRange("auth.maxStreamTokenAge", maxStreamTokenAge, Duration.ofSeconds(1), Duration.ofDays(1));
    }
}
