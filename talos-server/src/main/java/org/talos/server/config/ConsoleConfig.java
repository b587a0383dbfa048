// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import static org.talos.server.config.Checks.inRange;

import java.time.Duration;

/**
 * The console, and the sessions of people who sign in to it: {@code console}. Immutable.
 *
 * @param enabled whether there is one
 * @param sessionIdle after this time without use a session is over
 * @param sessionMax so long after its beginning a session is over
 */
public record ConsoleConfig(boolean enabled, Duration sessionIdle, Duration sessionMax) {
    /** Checks the bounds. */
    public ConsoleConfig {
        inRange("console.sessionMax", sessionMax, Duration.ofMinutes(1), Duration.ofDays(30));
        inRange("console.sessionIdle", sessionIdle, Duration.ofSeconds(1), sessionMax);
    }
}
