// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.log.Retention;
import org.talos.server.metadata.cache.TopicDirectory;
import org.talos.server.metadata.rows.TopicRecord;
import org.talos.server.runtime.SteadyClock;
import org.talos.server.runtime.Ticker;
import org.talos.server.storage.LogId;

/**
 * Has messages deleted that are older than their topics keep them. A clock that is wrong would delete everything: one
 * that is set while the server runs is not followed, and in the first hour nothing goes by its age of logs whose newest
 * message is too old, so that whoever has started a server with a wrong clock can read that in its log.
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
    private boolean differenceSaid;
    private long aheadSaid;

    /** Returns rounds for all topics of a directory, also those that are not loaded, as the constructor does. */
    public static RetentionRounds of(
            TopicDirectory directory,
            Logs logs,
            BooleanSupplier isClockRight,
            InstantSource clock,
            Ticker ticker,
            long maxBytes) {
        return new RetentionRounds(directory::stored, logs, isClockRight, clock, ticker, maxBytes);
    }

    /**
     * Rounds of a server that starts now.
     *
     * @param isClockRight whether the cluster has the same time
     * @param maxBytes of a partition's sealed segments; 0 means no bound
     */
    RetentionRounds(
            Supplier<Collection<TopicRecord>> topics,
            Logs logs,
            BooleanSupplier isClockRight,
            InstantSource clock,
            Ticker ticker,
            long maxBytes) {
        this.topics = topics;
        this.logs = logs;
        this.isClockRight = isClockRight;
        this.clock = new SteadyClock(clock, ticker);
        this.ticker = ticker;
        this.maxBytes = maxBytes;
        startNanos = ticker.nanos();
    }

    /** Applies retention to the partitions that are served here. */
    public interface Logs {
        /** As {@link org.talos.server.log.PartitionLog#retain}; false if it is not served here. */
        boolean retain(LogId id, Retention limits);
    }

    @Override
    public void run() {
        long now = clock.millis();
        sayWhetherSet();
        if (isSuspended()) {
            return;
        }
        boolean spares = ticker.nanos() - startNanos < SPARED.toNanos();
        int spared = 0;
        for (TopicRecord topic : topics.get()) {
            Retention limits = new Retention(
                    now, Duration.ofSeconds(topic.retentionSeconds()).toMillis(), maxBytes, spares);
            spared += round(topic, limits);
        }
        if (spared > 0 && !sparedSaid) {
            sparedSaid = true;
            LOG.warn(
                    "every message of some partitions is older than its topic keeps it: they are deleted once the server"
                            + " has run for an hour; if this server's clock is wrong, stop it before partitions={}",
                    spared);
        }
    }

    private int round(TopicRecord topic, Retention limits) {
        int spared = 0;
        for (int number = 0; number < topic.partitions(); number++) {
            LogId id = new LogId(topic.topicId(), number);
            try {
                spared += logs.retain(id, limits) ? 1 : 0;
            } catch (RuntimeException e) { // of one partition only
                LOG.error("retention failed, retrying partition={}", id, e);
            }
        }
        return spared;
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
                    "this server's clock was set; retention goes on by the time before, until it is set back or the"
                            + " server is started again aheadMinutes={}",
                    ahead);
        }
        aheadSaid = ahead;
    }
}
