// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.assignment;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.time.Ticker;

/**
 * The owners of partitions that are away, and since when by this leader's clock: a new leader starts the delay again.
 *
 * <p>Confined: the rounds of one leader.
 */
public final class AwayServers {
    private static final Logger LOG = LoggerFactory.getLogger(AwayServers.class);

    private final Duration delay;
    private final Ticker ticker;
    private final Consumer<String> events;
    private final Map<String, Long> since = new HashMap<>(); // nanoseconds of the ticker, by server

    /**
     * None yet.
     *
     * @param delay time for which the partitions of an absent server wait for it
     * @param events receives which servers are away, and which are back
     */
    public AwayServers(Duration delay, Ticker ticker, Consumer<String> events) {
        this.delay = delay;
        this.ticker = ticker;
        this.events = events;
    }

    /** Records which owners are away in this round. */
    public void record(Set<String> owners, Predicate<String> away) {
        for (String server : List.copyOf(since.keySet())) {
            if (!away.test(server)) {
                since.remove(server);
                events.accept(server + " is back");
            }
        }
        since.keySet().retainAll(owners);
        for (String server : owners) {
            if (away.test(server) && since.putIfAbsent(server, ticker.nanos()) == null) {
                events.accept(server + " is away");
                LOG.info("server away server={} waitsSeconds={}", server, delay.toSeconds());
            }
        }
    }

    /** Returns whether no owner is away. */
    public boolean isEmpty() {
        return since.isEmpty();
    }

    /** Returns whether an owner was away when this round began. */
    public boolean contains(String server) {
        return since.containsKey(server);
    }

    /**
     * Returns whether the server keeps its partitions in this round: it is present, or its delay has not passed. Judges
     * by the state at the start of the round, since a server that registers again is absent for a moment.
     */
    public boolean isKept(String server, Set<String> drained) {
        Long begun = since.get(server);
        return begun == null || (ticker.nanos() - begun < delay.toNanos() && !drained.contains(server));
    }
}
