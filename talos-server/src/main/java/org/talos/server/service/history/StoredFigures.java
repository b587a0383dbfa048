// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.history;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.config.ServerConfig.TopicMetricsConfig;
import org.talos.server.log.PartitionLog;
import org.talos.server.log.gap.Gap;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.group.Offsets;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.metrics.TopicMetrics;
import org.talos.server.metrics.TopicMetrics.Figures;
import org.talos.server.metrics.TrafficMetrics;
import org.talos.server.partition.PartitionManager;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogId;

/**
 * The stored bytes of this server, and the lag of groups: too much to add up every five seconds. The rounds that do it
 * pause as {@link RoundPauses} defines. They also measure the topics whose metrics an operator has enabled.
 *
 * <p>Thread-safe; rounds are for one thread at a time.
 */
public final class StoredFigures {
    private static final Logger LOG = LoggerFactory.getLogger(StoredFigures.class);

    /** Number of checkpoints that are read to add up the lag of all groups; with more it is unknown. */
    public static final int MOST_CHECKPOINTS = 2_000;

    /** Number of checkpoints that are read of topics with metrics. */
    private static final int MOST_WANTED_CHECKPOINTS = 100_000;

    private static final int GROUPS_FOR_EACH_TOPIC = 10;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final PartitionManager partitions;
    private final TopicDirectory directory;
    private final Offsets offsets;
    private final TrafficMetrics traffic;
    private final TopicMetrics metrics;
    private final TopicNames wanted;
    private final TopicMetricsConfig config;
    private final Ticker ticker;
    private final Map<String, Growth> growths = new HashMap<>(); // of topics whose metrics are wanted
    private volatile double bytes = Double.NaN;
    private volatile double lag = Double.NaN;

    public StoredFigures(
            PartitionManager partitions,
            TopicDirectory directory,
            Offsets offsets,
            TrafficMetrics traffic,
            TopicMetrics metrics,
            TopicMetricsConfig config,
            Ticker ticker) {
        this.partitions = partitions;
        this.directory = directory;
        this.offsets = offsets;
        this.traffic = traffic;
        this.metrics = metrics;
        this.config = config;
        this.ticker = ticker;
        wanted = TopicNames.parse(config.topics());
    }

    /** The growth of a topic's partitions here since they were first seen. Confined: the rounds. */
    private static final class Growth {
        private Map<Integer, PartitionLog.End> ends = Map.of();
        private long messages;
        private long bytes;

        void see(Map<Integer, PartitionLog.End> now) {
            now.forEach((partition, end) -> {
                PartitionLog.End before = ends.get(partition);
                if (before != null) { // otherwise earlier puts, and their users, are unknown
                    messages += Math.max(0, end.offset() - before.offset());
                    bytes += end.bytes() >= before.bytes() ? end.bytes() - before.bytes() : end.bytes();
                }
            });
            ends = Map.copyOf(now);
        }
    }

    /** Returns the stored bytes of the served partitions; NaN before the first round. */
    public double bytes() {
        return bytes;
    }

    /**
     * Messages that groups have not committed, of all groups and in the partitions that this server serves; NaN if it
     * is unknown, or there are too many checkpoints to add it up.
     */
    public double lag() {
        return lag;
    }

    /** Begins the rounds. */
    public void start(ScheduledExecutorService threads) {
        later(threads, config.interval(), new RoundPauses(config.interval(), ticker.nanos()));
    }

    private void later(ScheduledExecutorService threads, Duration pause, RoundPauses pauses) {
        try {
            var unused = threads.schedule(
                    () -> later(threads, measured(pauses), pauses), pause.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("measuring stopped, the server stops", e);
        }
    }

    /** Runs a round; returns the pause after it. */
    private Duration measured(RoundPauses pauses) {
        long begun = THREADS.getCurrentThreadCpuTime();
        try {
            round();
        } catch (MetadataException e) {
            lag = Double.NaN;
            LOG.info("checkpoint read failed, will retry cause={}", e.toString());
        } catch (RuntimeException | Error e) {
            LOG.error("measurement of stored bytes failed, will retry", e);
        }
        return pauses.after(THREADS.getCurrentThreadCpuTime() - begun, ticker.nanos());
    }

    /** Measures everything once. Blocks. */
    public void round() throws MetadataException {
        long[] sum = new long[1];
        Set<String> here = new HashSet<>();
        partitions.forEachReadable((id, log) -> {
            sum[0] += log.bytes();
            here.add(id.topicId());
        });
        bytes = sum[0];
        List<TopicRecord> topics = directory.all().stream()
                .filter(topic -> here.contains(topic.topicId()))
                .sorted(Comparator.comparing(TopicRecord::name))
                .toList();
        List<TopicRecord> shown = topics.stream()
                .filter(topic -> wanted.has(topic.name()))
                .limit(config.maxTopics())
                .toList();
        Checkpoints read = new Checkpoints();
        publish(shown, read);
        read.most = Math.max(read.count, MOST_CHECKPOINTS);
        for (TopicRecord topic : topics) {
            if (!shown.contains(topic)) {
                var unused = read.lags(topic);
            }
        }
        lag = read.isWhole ? read.sum : Double.NaN;
    }

    /** Reads the checkpoints of topics, up to a bound. Confined: one round. */
    private final class Checkpoints {
        private int most = MOST_WANTED_CHECKPOINTS;
        private int count;
        private double sum;
        private boolean isWhole = true;

        /** Returns the lag of each group; empty if the bound is reached. */
        SortedMap<String, Long> lags(TopicRecord topic) throws MetadataException {
            SortedMap<String, Long> lags = new TreeMap<>();
            if (!isWhole) {
                return lags;
            }
            List<Offsets.OfGroup> found = offsets.some(topic.topicId(), most - count + 1);
            count += found.size();
            if (count > most) {
                isWhole = false;
                return lags;
            }
            for (Offsets.OfGroup each : found) {
                partitions
                        .readable(new LogId(topic.topicId(), each.partition()))
                        .ifPresent(log -> {
                            long next =
                                    Math.max(log.startOffset(), each.committed().offset() + 1);
                            long behind = log.newestGap().messages(next, log.durableEnd());
                            lags.merge(each.group(), behind, Long::sum);
                            sum += behind;
                        });
            }
            return lags;
        }
    }

    private void publish(List<TopicRecord> shown, Checkpoints read) throws MetadataException {
        Set<String> ids = new HashSet<>();
        shown.forEach(topic -> ids.add(topic.topicId()));
        traffic.watch(ids);
        growths.keySet().retainAll(ids);
        int groups = config.maxTopics() * GROUPS_FOR_EACH_TOPIC;
        List<Figures> figures = new ArrayList<>();
        Optional<MetadataException> unread = Optional.empty();
        for (TopicRecord topic : shown) {
            SortedMap<String, Long> lags = new TreeMap<>();
            try {
                lags = first(read.lags(topic), groups);
            } catch (MetadataException e) {
                unread = Optional.of(e); // an unknown lag is missing, so that it does not look constant
            }
            groups -= lags.size();
            figures.add(figures(topic, lags));
        }
        metrics.publish(figures);
        if (unread.isPresent()) {
            throw unread.get();
        }
    }

    private static SortedMap<String, Long> first(SortedMap<String, Long> lags, int most) {
        SortedMap<String, Long> first = new TreeMap<>();
        lags.entrySet().stream().limit(most).forEach(each -> first.put(each.getKey(), each.getValue()));
        return first;
    }

    private Figures figures(TopicRecord topic, SortedMap<String, Long> lags) {
        long stored = 0;
        long messages = 0;
        Map<Integer, PartitionLog.End> ends = new HashMap<>();
        for (int number = 0; number < topic.partitions(); number++) {
            PartitionLog log =
                    partitions.readable(new LogId(topic.topicId(), number)).orElse(null);
            if (log != null) {
                stored += log.bytes();
                PartitionLog.End end = log.end();
                Gap gap = log.newestGap();
                messages += gap.messages(log.startOffset(), end.offset());
                ends.put(number, new PartitionLog.End(gap.messages(0, end.offset()), end.bytes()));
            }
        }
        Growth growth = growths.computeIfAbsent(topic.topicId(), id -> new Growth());
        growth.see(ends);
        return new Figures(
                topic.name(),
                stored,
                messages,
                new TopicMetrics.Traffic(growth.messages, growth.bytes),
                new TopicMetrics.Traffic(
                        traffic.messagesGotFrom(topic.topicId()), traffic.bytesGotFrom(topic.topicId())),
                lags);
    }
}
