// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.zookeeper.KeeperException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.cluster.ClusterClock;
import org.talos.server.metrics.ClusterMetrics;
import org.talos.server.runtime.time.Ticker;

/**
 * Compares this server's clock with ZooKeeper's, by the modification time of a node it writes. Ownership needs no
 * clock, but retention, consumers' locks, signatures and message timestamps do.
 *
 * <p>Confined: the cluster-work thread; but {@link #aheadMillis} and the methods of {@link ClusterClock} are
 * thread-safe.
 */
final class ClockCheck implements ClusterClock {
    private static final Duration INTERVAL = Duration.ofMinutes(1);
    private static final Duration SURE = Duration.ofSeconds(5);
    /** A wall clock that moves against the ticker by more was set, or the machine was suspended. */
    private static final long JUMP_MILLIS = 500;

    private static final Logger LOG = LoggerFactory.getLogger(ClockCheck.class);

    private final Nodes nodes;
    private final String path;
    private final InstantSource clock;
    private final Ticker ticker;
    private final Duration allowed;
    private final ClusterMetrics metrics;
    private final ClusterThreads threads;
    private final AtomicBoolean asked = new AtomicBoolean();
    private volatile Optional<Comparison> lastComparison = Optional.empty();
    private volatile Optional<Comparison> answered = Optional.empty(); // the last that was asked for
    private Optional<Long> seenAtZeroMillis = Optional.empty(); // guarded by this, as are the jumps
    private long jumps;

    /**
     * A comparison of the clocks. Immutable.
     *
     * @param millis how far this clock was ahead
     * @param atZeroMillis this clock's reading when it began, taken back to when the ticker was at 0
     * @param jumps number of clock jumps seen when it began; a suspension during a comparison makes it wrong
     * @param beganNanos by the ticker
     */
    private record Comparison(long millis, long atZeroMillis, long jumps, long beganNanos) {
        /** Adds the time by which the clock was set since. */
        private long ahead(long nowAtZeroMillis) {
            return millis + nowAtZeroMillis - atZeroMillis;
        }

        /** ZooKeeper's time at a reading of the ticker. It does not include changes of the wall clock since then. */
        private long clusterMillis(long tickerMillis) {
            return tickerMillis + atZeroMillis - millis;
        }
    }

    /**
     * A check that has compared nothing yet.
     *
     * @param allowed how far the clocks may be apart
     * @param threads where the comparisons run
     */
    ClockCheck(
            Nodes nodes,
            String server,
            InstantSource clock,
            Ticker ticker,
            Duration allowed,
            ClusterMetrics metrics,
            ClusterThreads threads) {
        this.threads = threads;
        this.nodes = nodes;
        path = nodes.clocks() + "/" + server;
        this.clock = clock;
        this.ticker = ticker;
        this.allowed = allowed;
        this.metrics = metrics;
    }

    /**
     * Compares the clocks before each registration: this machine may have been suspended since the last one. Only the
     * first is refused for a wrong clock, which must not stop a server that serves.
     */
    boolean admits(Admission admission) throws KeeperException, InterruptedException {
        if (admission.isDecided()) {
            if (admission.isRefused()) {
                return false;
            }
            check();
            return true;
        }
        try {
            require();
        } catch (IOException e) {
            admission.refuse(e);
            return false;
        }
        threads.onWorkEvery(INTERVAL, "clock", this::check);
        return true;
    }

    /** @throws IOException the difference is larger than allowed */
    private void require() throws IOException, KeeperException, InterruptedException {
        Duration difference = difference();
        if (difference.abs().compareTo(allowed) > 0) {
            throw new IOException("cluster.maxClockDifference: this server's clock is "
                    + difference.abs().toSeconds() + " s " + (difference.isNegative() ? "behind" : "ahead of")
                    + " ZooKeeper's (expected: at most " + allowed.toSeconds() + " s); set it right, then start again");
        }
    }

    /**
     * Returns the last difference plus the changes of the wall clock since then, or 0 before the first comparison. An
     * allowed difference counts as well: leases may be shorter.
     */
    long aheadMillis() {
        return lastComparison.map(last -> last.ahead(atZeroMillis())).orElse(0L);
    }

    /** ZooKeeper's time, by the last comparison and the ticker; this clock's before the first comparison. */
    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(
                lastComparison.map(last -> last.clusterMillis(tickerMillis())).orElseGet(clock::millis));
    }

    @Override
    public boolean isSure() {
        long now = suspensions();
        boolean sure = answered.filter(last -> last.jumps == now)
                .filter(last -> ticker.nanos() - last.beganNanos <= SURE.toNanos())
                .isPresent();
        return known(sure);
    }

    @Override
    public boolean isCompared() {
        long now = suspensions();
        return known(lastComparison.filter(last -> last.jumps == now).isPresent());
    }

    /** Begins a comparison if it is not known, unless one is about to begin. */
    private boolean known(boolean isKnown) {
        if (!isKnown && asked.compareAndSet(false, true)) {
            threads.onWork("clock", this::answer);
        }
        return isKnown;
    }

    private void answer() throws KeeperException, InterruptedException {
        asked.set(false); // first: later callers do not get this result
        check();
        answered = lastComparison;
    }

    @Override
    public long suspensions() {
        return jumps(atZeroMillis());
    }

    /** Small moves are forgotten at once: a clock that is corrected little by little never jumps. */
    private synchronized long jumps(long atZeroMillis) {
        if (seenAtZeroMillis
                .filter(seen -> Math.abs(atZeroMillis - seen) > JUMP_MILLIS)
                .isPresent()) {
            jumps++;
        }
        seenAtZeroMillis = Optional.of(atZeroMillis);
        return jumps;
    }

    /** Returns whether the difference is allowed, by the last comparison. */
    boolean isRight() {
        return Math.abs(aheadMillis()) <= allowed.toMillis();
    }

    private long atZeroMillis() {
        return clock.millis() - tickerMillis();
    }

    private long tickerMillis() {
        return TimeUnit.NANOSECONDS.toMillis(ticker.nanos());
    }

    /** Compares the clocks of a server that serves: a difference is logged, and the server continues. */
    void check() throws KeeperException, InterruptedException {
        Duration difference = difference();
        if (difference.abs().compareTo(allowed) > 0) {
            LOG.error(
                    "this server's clock differs from ZooKeeper's: set it right differenceSeconds={} allowedSeconds={}",
                    difference.toSeconds(),
                    allowed.toSeconds());
        }
    }

    /**
     * Returns, of the differences that the two readings allow, the one nearest to the known difference, so that a slow
     * answer does not reduce precision. It is positive if this server is ahead. The wall clock is read once, and the
     * ticker gives the time after the answer. The next comparison finds a clock that was set in between.
     */
    private Duration difference() throws KeeperException, InterruptedException {
        long began = ticker.nanos();
        long atZero = atZeroMillis();
        long seen = jumps(atZero);
        long before = atZero + tickerMillis();
        long written = nodes.touch(path).getMtime();
        long after = atZero + tickerMillis();
        long known = lastComparison.map(last -> last.ahead(atZero)).orElse(0L);
        long millis = Math.max(before - written, Math.min(after - written, known)); // ZooKeeper wrote in between
        lastComparison = Optional.of(new Comparison(millis, atZero, seen, began));
        metrics.clockDiffersBy(millis);
        return Duration.ofMillis(millis);
    }
}
