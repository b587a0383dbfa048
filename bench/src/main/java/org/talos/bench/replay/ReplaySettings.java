// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.engine.ServerSetup;
import org.talos.bench.engine.Timing;

/**
 * The settings of the replay benchmark. Immutable.
 *
 * @param keptBytes of messages that are replayed
 * @param partitions of either topic, each with a consumer; the tail's also with a producer
 * @param size bytes of a message
 * @param putsPerSecond at the tail; empty for half of the most
 */
record ReplaySettings(
        Store store,
        long keptBytes,
        int partitions,
        int size,
        Optional<Double> putsPerSecond,
        Timing timing,
        ServerSetup server) {
    /**
     * Bytes that a get of a replay asks for, and a bare reader reads at once. As many as the SDK asks for, two MiB,
     * would be more than one user may have of the requests' memory when 120 answers are in flight.
     */
    static final int READ_BYTES = 512 << 10;

    /** The stores of the server's logs. */
    enum Store {
        LOCAL,
        HDFS
    }

    /** Returns how many messages are kept, at least. */
    long messages() {
        return Math.max(partitions, keptBytes / size);
    }

    /**
     * The server's environment.
     *
     * @param store what the store asks of it
     */
    Map<String, String> environment(Map<String, String> store) {
        Map<String, String> all = new HashMap<>(store);
        all.put("LOG_DURABILITY", "flush");
        all.putAll(server.set());
        return all;
    }

    /** For settings.txt. */
    SortedMap<String, String> described() {
        SortedMap<String, String> lines = new TreeMap<>(Map.of(
                "store", store.name().toLowerCase(Locale.ROOT),
                "kept GB", Double.toString(keptBytes / 1e9),
                "partitions", partitions + " of either topic, a consumer each, a get in flight",
                "message bytes", Integer.toString(size),
                "puts a second",
                        putsPerSecond
                                .map(rate -> Double.toString(rate))
                                .orElse("half of the most, each round the same"),
                "read at once bytes", READ_BYTES + ", by a replay's get and by a bare reader",
                "warm-up s at most", Long.toString(timing.longestWarmUp().toSeconds()),
                "measured s", Long.toString(timing.measured().toSeconds()),
                "rounds", Integer.toString(timing.rounds())));
        lines.put("data", server.work().toString());
        lines.put("server options", String.join(" ", server.options()));
        lines.put(
                "client",
                "in the JVM of this command: a thread each for puts, gets at the tail, replays; " + BareReads.THREADS
                        + " for bare readers");
        server.set().forEach((key, value) -> lines.put("set " + key, value));
        return lines;
    }
}
