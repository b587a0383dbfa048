// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import static org.talos.server.config.Checks.inRange;

import java.time.Duration;

/**
 * The bounds of the services' calls: {@code service}. Immutable.
 *
 * @param defaultDeadline of a request that names none
 * @param maxDeadline longest deadline that a request may name
 * @param maxGetMessages messages of one get; a larger request is clamped, not refused
 * @param maxGetBytes bytes of one get; a larger request is clamped, not refused
 * @param maxLongPoll longest wait of a get at the end of a partition
 * @param maxRestWait longest wait of a get over REST
 * @param memberTtl after which a consumer worker or lock that is not renewed expires
 * @param maxMembersPerGroup registered consumer workers of one group and topic
 * @param maxGroupsPerUser consumer groups of one user on another owner's topic; also of groups without an owner
 * @param checkBlocks whether a put's blocks are decompressed and counted before they are stored
 * @param partitionChangeInterval least time between two changes of a topic's partition number
 * @param shutdownGrace how long a stop waits for requests in flight
 */
public record ServiceConfig(
        Duration defaultDeadline,
        Duration maxDeadline,
        int maxGetMessages,
        int maxGetBytes,
        Duration maxLongPoll,
        Duration maxRestWait,
        Duration memberTtl,
        int maxMembersPerGroup,
        int maxGroupsPerUser,
        boolean checkBlocks,
        Duration partitionChangeInterval,
        Duration shutdownGrace) {
    /** Checks every bound. */
    public ServiceConfig {
        inRange("service.defaultDeadline", defaultDeadline, Duration.ofMillis(100), maxDeadline);
        inRange("service.maxDeadline", maxDeadline, Duration.ofMillis(100), Duration.ofMinutes(10));
        inRange("service.maxGetMessages", maxGetMessages, 1, 1_000_000);
        inRange("service.maxGetBytes", maxGetBytes, 1_024, 1 << 30);
        inRange("service.maxLongPoll", maxLongPoll, Duration.ZERO, Duration.ofMinutes(1));
        inRange("service.maxRestWait", maxRestWait, Duration.ofMillis(100), Duration.ofMinutes(10));
        inRange("service.memberTtl", memberTtl, Duration.ofMillis(100), Duration.ofHours(1));
        inRange("service.maxMembersPerGroup", maxMembersPerGroup, 1, 100_000);
        inRange("service.maxGroupsPerUser", maxGroupsPerUser, 1, 1_000_000);
        inRange("service.partitionChangeInterval", partitionChangeInterval, Duration.ZERO, Duration.ofDays(1));
        inRange("service.shutdownGrace", shutdownGrace, Duration.ZERO, Duration.ofMinutes(10));
    }
}
