// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * The growth rates of partitions, between two samples of their ends. Only topics that clients look at are measured, and
 * the latest {@value #MOST_TOPICS} of these are remembered.
 *
 * <p>Thread-safe. Holds its lock for microseconds.
 */
final class PutRates {
    static final int MOST_TOPICS = 200;

    /** A sample sooner than this after the previous one is not kept: its rate would be mostly chance. */
    private static final long SOONEST_NANOS = Duration.ofSeconds(2).toNanos();

    /** An older sample says nothing about the current rate. */
    private static final long LATEST_NANOS = Duration.ofMinutes(1).toNanos();

    @GuardedBy("this")
    private final Map<String, Samples> topics = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Samples> eldest) {
            return size() > MOST_TOPICS;
        }
    };

    /** The ends of a topic's partitions at one time. Immutable. */
    private record Sample(long nanos, Map<Integer, Long> ends) {
        private Sample {
            ends = Map.copyOf(ends);
        }
    }

    /** The two latest samples that are far enough apart. Immutable. */
    private record Samples(Sample latest, @Nullable Sample before) {}

    /** The rates of a topic's partitions. Immutable. */
    record Rates(
            Map<Integer, Long> ends, long nanos, @Nullable Sample since) {
        /** Messages a second; empty if the partition has no recent sample, or has no server. */
        OptionalDouble of(int partition) {
            Long end = ends.get(partition);
            Long earlier = since == null ? null : since.ends.get(partition);
            return end == null || earlier == null || since == null || nanos <= since.nanos
                    ? OptionalDouble.empty()
                    : OptionalDouble.of(Math.max(0, end - earlier)
                            * (double) Duration.ofSeconds(1).toNanos()
                            / (nanos - since.nanos));
        }
    }

    /**
     * Takes a sample of a topic's ends.
     *
     * @param ends by partition, without partitions that have no server
     * @param nanos of the monotonic clock
     */
    synchronized Rates look(String topicId, Map<Integer, Long> ends, long nanos) {
        Sample now = new Sample(nanos, ends);
        Samples known = topics.get(topicId);
        if (known == null || nanos - known.latest.nanos > LATEST_NANOS) {
            topics.put(topicId, new Samples(now, null));
            return new Rates(ends, nanos, null);
        }
        boolean soon = nanos - known.latest.nanos < SOONEST_NANOS;
        if (!soon) {
            topics.put(topicId, new Samples(now, known.latest));
        }
        return new Rates(ends, nanos, soon ? known.before : known.latest);
    }
}
