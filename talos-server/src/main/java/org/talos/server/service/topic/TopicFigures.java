// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.SeenBounds;
import org.talos.server.partition.serving.TopicPartitions;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogId;

/**
 * Messages, bytes, and put rates of all topics, as lists sort and show them. They are measured in rounds from this
 * server's view of the partitions, so that neither a round nor a list asks another server.
 *
 * <p>Thread-safe. Readers never wait for a round.
 */
public final class TopicFigures {
    /** Partitions whose rates are measured: each takes some 100 bytes. */
    private static final int MOST_PARTITIONS = 100_000;

    private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);

    /** Largest part of the time that rounds take, however many partitions there are. */
    private static final int PAUSE_PER_ROUND = 50;

    /** A list does not wait for a round that takes longer. */
    private static final Duration SHORT_ROUND = Duration.ofMillis(100);

    private final TopicDirectory directory;
    private final TopicPartitions partitions;
    private final Ticker ticker;
    private final Map<String, Measured> topics = new ConcurrentHashMap<>(); // by id
    private final AtomicBoolean running = new AtomicBoolean();
    private long nextNanos; // used by the running round alone
    private volatile long roundNanos; // duration of the last round

    public TopicFigures(TopicDirectory directory, TopicPartitions partitions, Ticker ticker) {
        this.directory = directory;
        this.partitions = partitions;
        this.ticker = ticker;
        nextNanos = ticker.nanos();
    }

    /**
     * The figures of a topic. Immutable.
     *
     * @param messages that are stored; empty, as bytes, while it is not known of a partition
     * @param putsPerSecond messages; empty while it is not known of a partition
     * @param nanos of the monotonic clock, when the oldest of them was measured
     */
    public record Figures(OptionalLong messages, OptionalLong bytes, OptionalDouble putsPerSecond, long nanos) {}

    /** The figures of a topic, and the growth of its partitions by number, which is for the rounds alone. Immutable. */
    private record Measured(Figures figures, List<PartitionGrowth> growth) {}

    /** Runs a round for a list if one is due and rounds are short. */
    void refreshIfShort() {
        if (roundNanos <= SHORT_ROUND.toNanos()) {
            refresh();
        }
    }

    /** Runs a round if one is due and no other thread does. */
    public void refresh() {
        if (!running.compareAndSet(false, true)) {
            return;
        }
        try {
            long begun = ticker.nanos();
            if (begun - nextNanos >= 0) {
                measure();
                long ended = ticker.nanos();
                roundNanos = ended - begun;
                nextNanos = ended + Math.max(SHORTEST_PAUSE.toNanos(), PAUSE_PER_ROUND * roundNanos);
            }
        } finally {
            running.set(false);
        }
    }

    private void measure() {
        Set<String> ids = new HashSet<>();
        int counted = 0;
        for (TopicRecord topic : directory.all()) {
            ids.add(topic.topicId());
            counted += topic.partitions();
            @Nullable Measured known = topics.get(topic.topicId());
            List<PartitionGrowth> growth = known == null ? new ArrayList<>() : known.growth;
            while (growth.size() < topic.partitions() && counted <= MOST_PARTITIONS) {
                growth.add(new PartitionGrowth());
            }
            topics.put(topic.topicId(), new Measured(measured(topic, growth), growth));
        }
        topics.keySet().retainAll(ids);
    }

    /** Returns the figures of a topic; of a new one as they are now. */
    Figures of(TopicRecord topic) {
        @Nullable Measured known = topics.get(topic.topicId());
        return known == null ? measured(topic, List.of()) : known.figures;
    }

    /** @param growth of the partitions whose rates are measured; the others have none */
    private Figures measured(TopicRecord topic, List<PartitionGrowth> growth) {
        long messages = 0;
        long bytes = 0;
        double rate = 0;
        long oldest = ticker.nanos();
        boolean isKnown = true;
        for (int number = 0; number < topic.partitions(); number++) {
            Optional<SeenBounds> seen = partitions.seen(new LogId(topic.topicId(), number));
            if (seen.isEmpty()) {
                isKnown = false;
                continue;
            }
            LogBounds log = seen.get().bounds();
            long nanos = seen.get().nanos();
            messages += log.messagesFrom(log.start());
            bytes += log.bytes();
            rate += number < growth.size() ? growth.get(number).sample(log.messagesEver(), nanos) : Double.NaN;
            oldest = nanos - oldest < 0 ? nanos : oldest;
        }
        return new Figures(
                isKnown ? OptionalLong.of(messages) : OptionalLong.empty(),
                isKnown ? OptionalLong.of(bytes) : OptionalLong.empty(),
                isKnown && !Double.isNaN(rate) ? OptionalDouble.of(rate) : OptionalDouble.empty(),
                oldest);
    }
}
