// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.assignment;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;

/**
 * The servers that are drained and own partitions still, and whether all servers are drained: reports each change.
 *
 * <p>Confined: the rounds of one leader.
 */
public final class DrainedServers {
    private final Consumer<String> events;
    private final Consumer<String> report;
    private final Set<String> emptying = new HashSet<>(); // they own something still
    private boolean allDrained;

    /**
     * None yet.
     *
     * @param events receives events that operators wait for
     * @param report receives conditions that operators must know
     */
    public DrainedServers(Consumer<String> events, Consumer<String> report) {
        this.events = events;
        this.report = report;
    }

    /** Reports the servers that own nothing any more. */
    public void reportEmpty(Set<String> drained, ToIntFunction<String> partitions) {
        for (String server : drained) {
            if (partitions.applyAsInt(server) > 0) {
                emptying.add(server);
            } else if (emptying.remove(server)) {
                events.accept(server + " is drained: it owns nothing any more");
            }
        }
        emptying.retainAll(drained);
    }

    /**
     * Reports when all servers are drained, and when that ends. Drained servers keep their partitions then, as there is
     * no other server for them; new partitions get no server at all.
     *
     * @param eligible servers that may get partitions
     * @param serving whether any server serves, drained or not
     */
    public void reportWhetherAll(Set<String> eligible, boolean serving) {
        if (allDrained && !eligible.isEmpty()) {
            allDrained = false;
            events.accept("partitions are placed again, on " + String.join(", ", eligible));
        } else if (!allDrained && eligible.isEmpty() && serving) {
            allDrained = true;
            report.accept("all servers are drained: nothing is placed or moved until one is resumed or added");
        }
    }
}
