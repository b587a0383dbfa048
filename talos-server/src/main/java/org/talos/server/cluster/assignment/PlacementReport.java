// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.assignment;

import java.time.Duration;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.time.Ticker;

/**
 * The partitions that were placed and moved since the last event about them: those of some seconds are one event.
 *
 * <p>Confined: the rounds of one leader.
 */
public final class PlacementReport {
    private static final Logger LOG = LoggerFactory.getLogger(PlacementReport.class);
    /** Moves within this time are reported as one. */
    private static final long REPORT_NANOS = Duration.ofSeconds(10).toNanos();

    private final Ticker ticker;
    private final Consumer<String> events;
    private int placed;
    private int moved;
    private long reportedAt;

    /** Nothing to report; the first event is due at once. */
    public PlacementReport(Ticker ticker, Consumer<String> events) {
        this.ticker = ticker;
        this.events = events;
        reportedAt = ticker.nanos() - REPORT_NANOS;
    }

    /** Counts partitions that had no owner, and partitions that had one. */
    public void count(int newlyPlaced, int newlyMoved) {
        placed += newlyPlaced;
        moved += newlyMoved;
    }

    /** Returns whether nothing was counted since the last event. */
    public boolean isEmpty() {
        return placed + moved == 0;
    }

    /**
     * Adds the event, if there is something to report and it is due.
     *
     * @param unreleased number of moves whose giver has not released the partition yet
     * @param idle whether no move is under way
     */
    public void reportIfDue(int unreleased, boolean idle) {
        if (!isEmpty() && (idle || ticker.nanos() - reportedAt >= REPORT_NANOS)) {
            events.accept(placed + " partitions placed, " + moved + " moved");
            LOG.info("partitions assigned placed={} moved={} unreleased={}", placed, moved, unreleased);
            placed = 0;
            moved = 0;
            reportedAt = ticker.nanos();
        }
    }
}
