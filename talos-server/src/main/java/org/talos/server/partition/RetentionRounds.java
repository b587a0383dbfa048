// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.log.time.Retention;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.runtime.time.SteadyClock;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogId;

/**
 * Deletes messages that are older than their topics' retention. A wrong clock would delete everything. So a clock that
 * is set while the server runs is not followed. And in the first hour, no messages are deleted by age from logs that
 * seem to have had no put for longer than their retention, whatever has been put since. An operator who has started a
 * server with a wrong clock can see that in its log.
 *
 * <p>Confined: to the upkeep's threads, one round at a time.
 */
public final class RetentionRounds implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(RetentionRounds.class);
    private static final Duration SPARED = Duration.ofHours(1);

    private final Supplier<Collection<TopicRecord>> topics;
    private final Logs logs;
    private final BooleanSupplier isClockRight;
    private final SteadyClock clock;
    private final Ticker ticker;
    private final long startNanos;
    private final long maxBytes;
    private boolean sparedSaid;
    private int mostAheadSaid;
    private boolean differenceSaid;
    private long aheadSaid;

    /** Returns rounds for all topics of a directory, including those that are not loaded, as the constructor does. */
    public static RetentionRounds of(
            TopicDirectory directory,
            Logs logs,
            BooleanSupplier isClockRight,
            SteadyClock clock,
            Ticker ticker,
            long maxBytes) {
        return new RetentionRounds(directory::stored, logs, isClockRight, clock, ticker, maxBytes);
    }

    /**
     * Rounds of a server that starts now.
     *
     * @param isClockRight whether the cluster has the same time
     * @param clock of the messages' timestamps
     * @param maxBytes of a partition's sealed segments; 0 means no bound
     */
    RetentionRounds(
            Supplier<Collection<TopicRecord>> topics,
            Logs logs,
            BooleanSupplier isClockRight,
            SteadyClock clock,
            Ticker ticker,
            long maxBytes) {
        this.topics = topics;
        this.logs = logs;
        this.isClockRight = isClockRight;
        this.clock = clock;
        this.ticker = ticker;
        this.maxBytes = maxBytes;
        startNanos = ticker.nanos();
    }

    /** Applies retention to the partitions that are served here. */
    public interface Logs {
        /** As {@link org.talos.server.log.PartitionLog#retain}; no observations for a log that is not served here. */
        Retention.Signs retain(LogId id, Retention limits);
    }

    @Override
    public void run() {
        long now = clock.millis();
        sayWhetherSet();
        if (isSuspended()) {
            return;
        }
        boolean spares = ticker.nanos() - startNanos < SPARED.toNanos();
        Found found = new Found();
        for (TopicRecord topic : topics.get()) {
            round(
                    topic,
                    new Retention(
                            now, Duration.ofSeconds(topic.retentionSeconds()).toMillis(), maxBytes, spares),
                    found);
        }
        sayWhatIsSpared(found);
        sayWhatIsAhead(found);
    }

    /** Partitions in which a round has found signs of a wrong clock. Confined: the round. */
    private static final class Found {
        private final List<LogId> spared = new ArrayList<>();
        private final List<LogId> ahead = new ArrayList<>();
    }

    private void round(TopicRecord topic, Retention limits, Found found) {
        for (int number = 0; number < topic.partitions(); number++) {
            LogId id = new LogId(topic.topicId(), number);
            try {
                Retention.Signs signs = logs.retain(id, limits);
                if (signs.spared()) {
                    found.spared.add(id);
                }
                if (signs.isAhead()) {
                    found.ahead.add(id);
                }
            } catch (RuntimeException e) { // of one partition only
                LOG.error("retention failed, retrying partition={}", id, e);
            }
        }
    }

    private void sayWhatIsSpared(Found found) {
        if (!found.spared.isEmpty() && !sparedSaid) {
            sparedSaid = true;
            LOG.warn(
                    "messages of some partitions are older than their topics keep them, and there was no put for as"
                            + " long: they are deleted once the server has run for an hour; if this server's clock is"
                            + " wrong, stop it before partitions={} first={}",
                    found.spared.size(),
                    found.spared.get(0));
        }
    }

    private void sayWhatIsAhead(Found found) {
        int partitions = found.ahead.size();
        if (partitions > mostAheadSaid) {
            LOG.warn(
                    "timestamps of some partitions are more than an hour ahead of this server's clock, so their messages"
                            + " are kept too long and are not found by their time; if the clock is right now, set"
                            + " log.clockRightSince and restart the server partitions={} first={}",
                    partitions,
                    found.ahead.get(0));
        }
        mostAheadSaid = Math.max(mostAheadSaid, partitions);
    }

    private boolean isSuspended() {
        boolean differs = !isClockRight.getAsBoolean();
        if (differs && !differenceSaid) {
            LOG.warn("retention is suspended: this server's clock differs from the cluster's");
        }
        differenceSaid = differs;
        return differs;
    }

    private void sayWhetherSet() {
        long ahead = Duration.ofMillis(clock.aheadMillis()).toMinutes();
        if (ahead != 0 && ahead != aheadSaid) {
            LOG.warn(
                    "this server's clock was set; timestamps and retention continue with the time before, until the clock"
                            + " is set back or the server is restarted aheadMinutes={}",
                    ahead);
        }
        aheadSaid = ahead;
    }
}
