// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import static org.talos.server.config.Checks.inRange;

import java.time.Duration;

/**
 * The rates of all clients of this server together, and the rules of quotas: {@code quota}. Rates are per second; 0 is
 * no bound. Immutable.
 *
 * @param requestsPerSecond calls and REST requests
 * @param putsPerSecond puts
 * @param getsPerSecond gets
 * @param putBytesPerSecond bytes of message blocks put
 * @param getBytesPerSecond bytes of message blocks got
 * @param required whether a user needs a quota to create topics
 * @param autoApprovePartitions largest number of partitions that is approved without an administrator
 * @param topicsPerUser topics of an owner whose quota names no number
 * @param partitionsPerUser partitions of all topics of an owner
 * @param topicBytesPerUser bytes that the topics of an owner take in memory: names, attributes, permissions
 * @param refusalDelay longest delay of the refusal of a get over its rate
 */
public record QuotaConfig(
        int requestsPerSecond,
        int putsPerSecond,
        int getsPerSecond,
        long putBytesPerSecond,
        long getBytesPerSecond,
        boolean required,
        int autoApprovePartitions,
        int topicsPerUser,
        int partitionsPerUser,
        long topicBytesPerUser,
        Duration refusalDelay) {
    /** Checks every bound. */
    public QuotaConfig {
        inRange("quota.requestsPerSecond", requestsPerSecond, 0, Integer.MAX_VALUE);
        inRange("quota.putsPerSecond", putsPerSecond, 0, Integer.MAX_VALUE);
        inRange("quota.getsPerSecond", getsPerSecond, 0, Integer.MAX_VALUE);
        inRange("quota.putBytesPerSecond", putBytesPerSecond, 0, Long.MAX_VALUE);
        inRange("quota.getBytesPerSecond", getBytesPerSecond, 0, Long.MAX_VALUE);
        inRange("quota.autoApprovePartitions", autoApprovePartitions, 0, 1_000_000);
        inRange("quota.topicsPerUser", topicsPerUser, 1, 1_000_000);
        inRange("quota.partitionsPerUser", partitionsPerUser, 1, 100_000_000);
        inRange("quota.topicBytesPerUser", topicBytesPerUser, 64 << 10, 1L << 40);
        inRange("quota.refusalDelay", refusalDelay, Duration.ZERO, Duration.ofSeconds(10));
    }
}
