// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The put rate of a partition, between two samples of its messages that are far enough apart.
 *
 * <p>Confined: the rounds of {@link TopicFigures}.
 */
final class PartitionGrowth {
    /** A sample sooner than this after the previous one is not kept: its rate would be mostly chance. */
    private static final long SOONEST_NANOS = Duration.ofSeconds(2).toNanos();

    /** An older sample says nothing about the current rate. With many partitions, other servers are asked rarely. */
    private static final long LATEST_NANOS = Duration.ofMinutes(5).toNanos();

    private static final double NANOS_PER_SECOND = 1e9;

    private @Nullable Sample latest;
    private @Nullable Sample before;

    /** The messages that were ever put, and when. Immutable. */
    private record Sample(long messages, long nanos) {}

    /**
     * Takes a sample, which may be the same as the last one.
     *
     * @param messages that were ever put
     * @param nanos of the monotonic clock
     * @return messages a second; NaN if there is no recent sample before
     */
    double sample(long messages, long nanos) {
        Sample now = new Sample(messages, nanos);
        @Nullable Sample last = latest;
        if (last == null || nanos - last.nanos > LATEST_NANOS) {
            latest = now;
            before = null;
            return Double.NaN;
        }
        boolean soon = nanos - last.nanos < SOONEST_NANOS;
        @Nullable Sample since = soon ? before : last;
        if (!soon) {
            before = last;
            latest = now;
        }
        return since == null || nanos - since.nanos <= 0
                ? Double.NaN
                : Math.max(0, messages - since.messages) * NANOS_PER_SECOND / (nanos - since.nanos);
    }
}
