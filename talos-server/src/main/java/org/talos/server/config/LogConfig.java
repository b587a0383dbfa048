// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import static org.talos.server.config.Checks.inRange;
import static org.talos.server.config.Checks.instant;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The partitions' logs: {@code log}. Immutable.
 *
 * @param durability when a put is acknowledged
 * @param segmentBytes size at which a segment is sealed and a new one begun
 * @param segmentAge age at which a segment is sealed, so that retention by age can delete it
 * @param indexIntervalBytes distance of the entries of the sparse index
 * @param tailCacheBytes memory for the newest entries of all partitions
 * @param retentionBytesPerPartition sealed segments beyond this are deleted, oldest first; 0 means no bound but age
 * @param retentionInterval interval at which retention runs
 * @param dedupeWindow newest puts that each partition remembers in any case, to recognize repetitions; 0 for none at
 *     all
 * @param dedupeAge time for which puts are remembered
 * @param dedupeBytes memory for further puts of that age, of all partitions together
 * @param journalFileBytes size at which a new journal file is begun
 * @param maxUnwrittenBytes bytes that are in the journal and in memory only; appends wait beyond it
 * @param clockRightSince from when on the clock is right after it was ahead, as ISO 8601 in UTC; empty if it was not
 */
public record LogConfig(
        Durability durability,
        long segmentBytes,
        Duration segmentAge,
        int indexIntervalBytes,
        long tailCacheBytes,
        long retentionBytesPerPartition,
        Duration retentionInterval,
        int dedupeWindow,
        Duration dedupeAge,
        long dedupeBytes,
        long journalFileBytes,
        long maxUnwrittenBytes,
        String clockRightSince) {
    /** Checks every bound. */
    public LogConfig {
        inRange("log.segmentBytes", segmentBytes, 64 << 10, 1L << 40);
        inRange("log.segmentAge", segmentAge, Duration.ofSeconds(1), Duration.ofDays(365));
        inRange("log.indexIntervalBytes", indexIntervalBytes, 512, 64 << 20);
        inRange("log.tailCacheBytes", tailCacheBytes, 0, 1L << 40);
        inRange("log.retentionBytesPerPartition", retentionBytesPerPartition, 0, Long.MAX_VALUE);
        inRange("log.retentionInterval", retentionInterval, Duration.ofMillis(10), Duration.ofDays(1));
        inRange("log.dedupeWindow", dedupeWindow, 0, 1_000_000);
        inRange("log.dedupeAge", dedupeAge, Duration.ZERO, Duration.ofDays(1));
        inRange("log.dedupeBytes", dedupeBytes, 0, 1L << 40);
        inRange("log.journalFileBytes", journalFileBytes, 64 << 10, 1L << 30);
        inRange("log.maxUnwrittenBytes", maxUnwrittenBytes, 1 << 20, 1L << 40);
        if (!clockRightSince.isEmpty()) {
            instant("log.clockRightSince", clockRightSince);
        }
    }

    /** Returns from when on the clock is right after it was ahead, if it was. */
    public Optional<Instant> clockRight() {
        return clockRightSince.isEmpty()
                ? Optional.empty()
                : Optional.of(instant("log.clockRightSince", clockRightSince));
    }
}
