// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import static org.talos.bench.report.Text.format;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.eclipse.jetty.util.Jetty;
import org.talos.bench.engine.QuietCompiler;
import org.talos.bench.engine.ServerSetup;
import org.talos.bench.engine.Timing;
import org.talos.server.http.HttpPort;

/**
 * The settings of the floor benchmark. Immutable.
 *
 * @param threads of Jetty, selectors included, the same for all cases
 * @param servers the same for all cases
 */
record FloorSettings(
        Clients clients, Timing timing, List<FloorCase> cases, int threads, ServerSetup servers, long seed) {
    /**
     * The clients of each server. Immutable.
     *
     * @param partitions of the topic
     * @param producers each to a partition of its own, one put in flight
     * @param consumers each of a partition with a producer, one get in flight
     * @param size bytes of a message
     */
    record Clients(int partitions, int producers, int consumers, int size) {}

    /** The load of many: the claims about processor time and rates are about it. */
    boolean isLoad() {
        return clients.producers > 1 && clients.consumers == clients.producers;
    }

    /** The load of one: the claim about its latency is about it. */
    boolean isOneProducer() {
        return clients.producers == 1 && clients.consumers == 0;
    }

    /** For the report, by name. */
    SortedMap<String, String> described() {
        SortedMap<String, String> lines = new TreeMap<>();
        lines.put("partitions", Integer.toString(clients.partitions));
        lines.put("producers", clients.producers + ", a put in flight of each");
        lines.put("consumers", clients.consumers + ", a get in flight of each, which waits for a message");
        lines.put("message bytes", Integer.toString(clients.size));
        lines.put(
                "warm-up",
                format(
                        "until compilers used less than %.2f of a processor for %d s; %d s at most",
                        QuietCompiler.LITTLE,
                        QuietCompiler.SECONDS,
                        timing.longestWarmUp().toSeconds()));
        lines.put("measured s", Long.toString(timing.measured().toSeconds()));
        lines.put("rounds", Integer.toString(timing.rounds()));
        lines.put("cases", cases.toString());
        lines.put("data", servers.work().toString());
        lines.put("server options", String.join(" ", servers.options()));
        lines.put("jetty", Jetty.VERSION);
        lines.put("jetty threads", threads + ", " + HttpPort.selectors(threads) + " of them selectors, 1 acceptor");
        lines.put("header cache", "0");
        lines.put("client", "in the JVM of this command: a thread for the puts, a thread for the gets");
        lines.put("seed", Long.toString(seed));
        return lines;
    }
}
