// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.metrics.ClusterMetrics;
import org.talos.server.runtime.Ticker;

/**
 * Compares this server's clock with ZooKeeper's, which dates what is written. Who owns what goes by no clock; but
 * retention, leases of groups, signatures and times of messages do, and servers that differ differ in these.
 *
 * <p>Confined: the thread for calls that block; but {@link #aheadMillis} may be asked by anybody.
 */
final class ClockCheck {
    private static final Logger LOG = LoggerFactory.getLogger(ClockCheck.class);

    private final Nodes nodes;
    private final String path;
    private final InstantSource clock;
    private final Ticker ticker;
    private final Duration allowed;
    private final ClusterMetrics metrics;
    private volatile Optional<Seen> seen = Optional.empty();

    /**
     * What was seen last. Immutable.
     *
     * @param millis by which this clock is ahead
     * @param atZeroMillis what this clock would have shown when the ticker was at 0
     */
    private record Seen(long millis, long atZeroMillis) {}

    /** @param allowed how far the clocks may be apart */
    ClockCheck(
            Nodes nodes, String server, InstantSource clock, Ticker ticker, Duration allowed, ClusterMetrics metrics) {
        this.nodes = nodes;
        path = nodes.clocks() + "/" + server;
        this.clock = clock;
        this.ticker = ticker;
        this.allowed = allowed;
        this.metrics = metrics;
    }

    /**
     * For a server that has not begun.
     *
     * @throws IOException the clock is wrong
     */
    void require() throws IOException, KeeperException, InterruptedException {
        Duration difference = difference();
        if (difference.abs().compareTo(allowed) > 0) {
            throw new IOException("cluster.maxClockDifference: this server's clock is "
                    + difference.abs().toSeconds() + " s " + (difference.isNegative() ? "behind" : "ahead of")
                    + " ZooKeeper's (expected: at most " + allowed.toSeconds() + " s); set it right, then start again");
        }
    }

    /** As of the last look, and of what the clock has been set by since; 0: no more than allowed, or nobody looked. */
    long aheadMillis() {
        return seen.map(last -> last.millis + atZeroMillis() - last.atZeroMillis)
                .filter(ahead -> Math.abs(ahead) > allowed.toMillis())
                .orElse(0L);
    }

    private long atZeroMillis() {
        return clock.millis() - tickerMillis();
    }

    private long tickerMillis() {
        return TimeUnit.NANOSECONDS.toMillis(ticker.nanos());
    }

    /** Of a server that serves: it goes on, as nothing is lost by it, and says so. */
    void look() throws KeeperException, InterruptedException {
        Duration difference = difference();
        if (difference.abs().compareTo(allowed) > 0) {
            LOG.error(
                    "this server's clock is not ZooKeeper's, set it right differenceSeconds={} allowedSeconds={}",
                    difference.toSeconds(),
                    allowed.toSeconds());
        }
    }

    /**
     * Positive: this server is ahead. As small as it can be by what was seen. The clock is read once, and what it would
     * show after the answer comes from the ticker: should somebody set it meanwhile, the next question finds that.
     */
    private Duration difference() throws KeeperException, InterruptedException {
        long atZero = atZeroMillis();
        long before = atZero + tickerMillis();
        long written = nodes.touch(path).getMtime();
        long after = atZero + tickerMillis();
        long millis = 0; // ZooKeeper wrote in between
        if (written < before) {
            millis = before - written;
        } else if (written > after) {
            millis = after - written;
        }
        seen = Optional.of(new Seen(millis, atZero));
        metrics.clockDiffersBy(millis);
        return Duration.ofMillis(millis);
    }
}
