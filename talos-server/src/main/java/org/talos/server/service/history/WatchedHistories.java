// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.history;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.TalosException;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.group.CommittedOffset;
import org.talos.server.metadata.rows.group.Offsets;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.partition.serving.LogBounds;
import org.talos.server.partition.serving.PartitionRoutes;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogId;
import org.talos.thrift.ErrorCode;

/**
 * The last hour of topics and groups that clients have asked about, on all servers together: measured from the first
 * request on, until an hour has passed without one. Their number is bounded; for each user, the newest evicts the
 * oldest.
 *
 * <p>Thread-safe; rounds are for one thread at a time.
 */
public final class WatchedHistories {
    /** The figures of a topic, in the order of a point. */
    static final List<String> OF_TOPIC = List.of("putsPerSecond", "messages", "bytes");

    /** The figures of a group. */
    static final List<String> OF_GROUP = List.of("lag", "committedPerSecond");

    static final int MOST = 200;
    static final int MOST_OF_USER = 50;

    /** Partitions of all watched topics: their ends are queried in each round. */
    static final int MOST_PARTITIONS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(WatchedHistories.class);
    private static final String CALLER = "history";
    private static final long FORGOTTEN_NANOS = Duration.ofHours(1).toNanos();
    private static final int ROUNDS_OF_GROUPS = 3; // each group is a read of rows

    private final TopicDirectory directory;
    private final Offsets offsets;
    private final PartitionRoutes routes;
    private final Ticker ticker;
    private final InstantSource clock;

    @GuardedBy("this")
    private final Map<Subject, Watched> watched = new LinkedHashMap<>(16, 0.75f, true); // by when it was asked for last

    private long rounds; // the thread's that measures

    public WatchedHistories(
            TopicDirectory directory, Offsets offsets, PartitionRoutes routes, Ticker ticker, InstantSource clock) {
        this.directory = directory;
        this.offsets = offsets;
        this.routes = routes;
        this.ticker = ticker;
        this.clock = clock;
    }

    /**
     * A topic, or one of its groups. Immutable.
     *
     * @param group empty for the topic itself
     */
    private record Subject(String topicId, String group) {
        boolean isGroup() {
            return !group.isEmpty();
        }
    }

    /** The history of a subject. Confined: the rounds; its points are thread-safe. */
    private static final class Watched {
        private final String user; // the user who asked first
        private final int partitions;
        private final PointTable points;
        private volatile long askedNanos;
        private Sum before = Sum.UNKNOWN;
        private double[] latest;

        Watched(String user, int partitions, List<String> figures, long nanos) {
            this.user = user;
            this.partitions = partitions;
            points = new PointTable(figures);
            latest = points.nothing();
            askedNanos = nanos;
        }
    }

    /** A number that grows, at one time. Immutable. */
    private record Sum(long nanos, double value) {
        static final Sum UNKNOWN = new Sum(0, Double.NaN);

        /** Returns the growth per second since then; NaN if one of them is unknown. */
        double rateSince(Sum earlier) {
            return nanos <= earlier.nanos
                    ? Double.NaN
                    : (value - earlier.value) * Duration.ofSeconds(1).toNanos() / (nanos - earlier.nanos);
        }
    }

    /** Begins to measure the requested topics and groups. */
    public void start(ScheduledExecutorService threads) {
        long step = PointTable.STEP.toMillis();
        var unused = threads.scheduleWithFixedDelay(
                () -> {
                    try {
                        round();
                    } catch (RuntimeException | Error e) {
                        LOG.error("measurement of topic history failed, will retry", e);
                    }
                },
                step,
                step,
                TimeUnit.MILLISECONDS);
    }

    /**
     * Returns the history of a topic, which the caller may describe.
     *
     * @throws TalosException THROTTLE_REJECT_ERROR: the maximum is being watched
     */
    History ofTopic(String user, TopicRecord topic, Collection<String> figures) {
        return read(user, topic, "", OF_TOPIC, figures);
    }

    /** Returns the history of a group, which the caller may see. */
    History ofGroup(String user, TopicRecord topic, String group, Collection<String> figures) {
        return read(user, topic, group, OF_GROUP, figures);
    }

    private synchronized History read(
            String user, TopicRecord topic, String group, List<String> all, Collection<String> figures) {
        Subject subject = new Subject(topic.topicId(), group);
        long now = ticker.nanos();
        Watched found = watched.get(subject);
        if (found == null) {
            forgetOld(now);
            requireRoom(user, topic);
            found = new Watched(user, topic.partitions(), all, now);
            watched.put(subject, found);
        }
        found.askedNanos = now;
        return found.points.read(figures, clock.millis());
    }

    @GuardedBy("this")
    private void forgetOld(long now) {
        watched.values().removeIf(each -> now - each.askedNanos > FORGOTTEN_NANOS);
    }

    /** One user's topics and groups take no places of others: the user's own oldest makes room. */
    @GuardedBy("this")
    private void requireRoom(String user, TopicRecord topic) {
        boolean makesRoom = ownCount(user) >= MOST_OF_USER;
        Map<String, Integer> byTopic = new HashMap<>(); // whose ends are read once, for all of its groups
        watched.forEach((subject, each) -> byTopic.put(subject.topicId, each.partitions));
        byTopic.put(topic.topicId(), topic.partitions());
        int partitions = byTopic.values().stream().mapToInt(Integer::intValue).sum();
        if (watched.size() - (makesRoom ? 1 : 0) >= MOST || partitions > MOST_PARTITIONS) {
            throw TalosException.refused(
                    ErrorCode.THROTTLE_REJECT_ERROR,
                    "as many topics and groups are watched as this server keeps the history of; what nobody asks for"
                            + " is forgotten after an hour");
        }
        if (makesRoom) {
            removeOldestOf(user);
        }
    }

    @GuardedBy("this")
    private long ownCount(String user) {
        return watched.values().stream().filter(each -> each.user.equals(user)).count();
    }

    @GuardedBy("this")
    private void removeOldestOf(String user) {
        for (Iterator<Watched> all = watched.values().iterator(); all.hasNext(); ) {
            if (all.next().user.equals(user)) {
                all.remove();
                return;
            }
        }
    }

    private synchronized Map<Subject, Watched> current() {
        forgetOld(ticker.nanos());
        return new LinkedHashMap<>(watched);
    }

    /** Measures everything once. Blocks. */
    void round() {
        Map<Subject, Watched> all = current();
        if (all.isEmpty()) {
            return;
        }
        Map<LogId, LogBounds> bounds = bounds(all.keySet());
        boolean withGroups = rounds++ % ROUNDS_OF_GROUPS == 0;
        long now = ticker.nanos();
        all.forEach((subject, each) -> {
            TopicRecord topic = directory.byId(subject.topicId).orElse(null);
            if (topic == null) {
                forget(subject);
            } else if (!subject.isGroup()) {
                each.latest = ofTopic(topic, bounds, each, now);
            } else if (withGroups) {
                each.latest = ofGroup(topic, subject.group, bounds, each, now);
            }
            each.points.add(PointTable.stepOf(now), clock.millis(), each.latest);
        });
    }

    private synchronized void forget(Subject subject) {
        watched.remove(subject);
    }

    private Map<LogId, LogBounds> bounds(Collection<Subject> subjects) {
        Set<String> topicIds = new HashSet<>();
        subjects.forEach(each -> topicIds.add(each.topicId));
        List<LogId> ids = new ArrayList<>();
        for (String topicId : topicIds) {
            directory.byId(topicId).ifPresent(topic -> ids.addAll(LogId.all(topic.topicId(), topic.partitions())));
        }
        try {
            return routes.boundsSoon(ids, CALLER).toCompletableFuture().join();
        } catch (CompletionException e) {
            LOG.debug("partition ends unknown", e);
            return Map.of();
        }
    }

    private static double[] ofTopic(TopicRecord topic, Map<LogId, LogBounds> bounds, Watched watched, long now) {
        double ends = 0;
        double messages = 0;
        double bytes = 0;
        for (LogId id : LogId.all(topic.topicId(), topic.partitions())) {
            LogBounds log = bounds.get(id);
            if (log == null) {
                watched.before = Sum.UNKNOWN;
                return watched.points.nothing();
            }
            ends += log.messagesEver();
            messages += log.messagesFrom(log.start());
            bytes += log.bytes();
        }
        return new double[] {rate(watched, now, ends), messages, bytes};
    }

    private static double rate(Watched watched, long now, double value) {
        Sum sum = new Sum(now, value);
        double rate = Math.max(0, sum.rateSince(watched.before)); // less of a group that was reset
        watched.before = sum;
        return rate;
    }

    private double[] ofGroup(TopicRecord topic, String group, Map<LogId, LogBounds> bounds, Watched watched, long now) {
        Map<Integer, Versioned<CommittedOffset>> rows;
        try {
            rows = new HashMap<>(offsets.list(topic.topicId(), group));
        } catch (MetadataException e) {
            LOG.debug("checkpoints unknown", e);
            watched.before = Sum.UNKNOWN;
            return watched.points.nothing();
        }
        double lag = 0;
        double committed = 0;
        for (LogId id : LogId.all(topic.topicId(), topic.partitions())) {
            LogBounds log = bounds.get(id);
            if (log == null) {
                watched.before = Sum.UNKNOWN;
                return watched.points.nothing();
            }
            Versioned<CommittedOffset> row = rows.get(id.partition());
            long next = Math.max(log.start(), row == null ? 0 : row.value().offset() + 1);
            lag += log.messagesFrom(next);
            committed += next;
        }
        return new double[] {lag, rate(watched, now, committed)};
    }
}
