// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import static org.talos.server.config.Checks.inRange;

import java.time.Duration;

/**
 * What the services promise and clamp: {@code service}. Immutable.
 *
 * @param defaultDeadline of a request that names none
 * @param maxDeadline longest that a request may name
 * @param maxGetMessages messages of one get; more asked for is clamped, not refused
 * @param maxGetBytes bytes of one get; the same
 * @param maxLongPoll longest that a get at the end waits for a message
 * @param maxRestWait longest that a get over REST waits for messages
 * @param workerTtl a consumer worker or lock that is not renewed for this long is gone
 * @param maxWorkersPerGroup registered consumer workers of one group and topic
 * @param checkBlocks whether a put's blocks are decompressed and counted before they are stored
 * @param partitionChangeInterval least time between two changes of a topic's partition number
 * @param shutdownGrace how long a stop waits for what is in flight
 */
public record ServiceConfig(
        Duration defaultDeadline,
        Duration maxDeadline,
        int maxGetMessages,
        int maxGetBytes,
        Duration maxLongPoll,
        Duration maxRestWait,
        Duration workerTtl,
        int maxWorkersPerGroup,
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
        inRange("service.workerTtl", workerTtl, Duration.ofMillis(100), Duration.ofHours(1));
        inRange("service.maxWorkersPerGroup", maxWorkersPerGroup, 1, 100_000);
        inRange("service.partitionChangeInterval", partitionChangeInterval, Duration.ZERO, Duration.ofDays(1));
        inRange("service.shutdownGrace", shutdownGrace, Duration.ZERO, Duration.ofMinutes(10));
    }
}
