// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import static org.talos.server.config.Checks.inRange;

import java.time.Duration;

/**
 * How much all clients together may do, and the rules of quotas: {@code quota}. Immutable. Rates are a second; 0 is
 * without bound.
 *
 * @param requestsPerSecond calls and REST requests
 * @param putsPerSecond puts
 * @param getsPerSecond gets
 * @param putBytesPerSecond bytes of message blocks
 * @param getBytesPerSecond the same, on their way out
 * @param required whether who has no quota may make no topic
 * @param autoApprovePartitions applications of an org for up to so many partitions need no administrator
 * @param refusalDelay how long a get over its rate is kept waiting for its refusal at most
 */
public record QuotaConfig(
        int requestsPerSecond,
        int putsPerSecond,
        int getsPerSecond,
        long putBytesPerSecond,
        long getBytesPerSecond,
        boolean required,
        int autoApprovePartitions,
        Duration refusalDelay) {
    /** Checks every bound. */
    public QuotaConfig {
        inRange("quota.requestsPerSecond", requestsPerSecond, 0, Integer.MAX_VALUE);
        inRange("quota.putsPerSecond", putsPerSecond, 0, Integer.MAX_VALUE);
        inRange("quota.getsPerSecond", getsPerSecond, 0, Integer.MAX_VALUE);
        inRange("quota.putBytesPerSecond", putBytesPerSecond, 0, Long.MAX_VALUE);
        inRange("quota.getBytesPerSecond", getBytesPerSecond, 0, Long.MAX_VALUE);
        inRange("quota.autoApprovePartitions", autoApprovePartitions, 0, 1_000_000);
        inRange("quota.refusalDelay", refusalDelay, Duration.ZERO, Duration.ofSeconds(10));
    }
}
