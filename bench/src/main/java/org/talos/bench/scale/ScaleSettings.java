// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.scale;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.engine.ServerSetup;
import org.talos.bench.engine.Timing;

/**
 * The settings of all curves. Immutable.
 *
 * @param points by curve, from small to large
 * @param partitions where they do not grow
 * @param producers where they do not grow, but for {@link Curve#SIZE}
 * @param size bytes of a message where that does not grow
 */
record ScaleSettings(
        SortedMap<Curve, List<Long>> points,
        int partitions,
        int producers,
        int size,
        Timing timing,
        ServerSetup servers) {
    /** So few that the largest messages, all in flight, take less than one user may have of the memory of requests. */
    static final int PRODUCERS_BY_SIZE = 8;

    ScaleSettings {
        points = new TreeMap<>(points);
    }

    /** For settings.txt. */
    SortedMap<String, String> described() {
        SortedMap<String, String> lines = new TreeMap<>(Map.of(
                "partitions, where they do not grow", Integer.toString(partitions),
                "producers, where they do not grow",
                        producers + ", " + PRODUCERS_BY_SIZE + " where the size of messages grows",
                "message bytes, where they do not grow", Integer.toString(size),
                "warm-up s at most", Long.toString(timing.longestWarmUp().toSeconds()),
                "measured s", Long.toString(timing.measured().toSeconds()),
                "rounds", Integer.toString(timing.rounds()),
                "data", servers.work().toString(),
                "server options", String.join(" ", servers.options())));
        points.forEach((curve, each) -> lines.put("curve " + curve.label(), each.toString()));
        servers.set().forEach((key, value) -> lines.put("set " + key, value));
        return lines;
    }
}
