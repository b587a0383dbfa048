// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.neighbors;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The settings of the neighbors benchmark. Immutable.
 *
 * @param measured of each case
 * @param warmUp of the server, and behind the beginning of each neighbor
 * @param rate puts a second of the good user
 * @param size bytes of the good user's messages
 * @param work folder for the server's data
 */
record NeighborsSettings(
        List<Neighbor> neighbors, Duration measured, Duration warmUp, double rate, int size, Path work) {
    static final int GOOD_PARTITIONS = 16;
    static final int NEIGHBORS_PARTITIONS = 64;
    static final List<String> SERVER_OPTIONS = List.of("-Xmx1g");

    /** Of the server; retention keeps the disk from filling up. */
    static final Map<String, String> SERVER = Map.of(
            "LOG_SEGMENTBYTES", "16MiB", "LOG_RETENTIONBYTESPERPARTITION", "32MiB", "LOG_RETENTIONINTERVAL", "5s");

    /** For the report, by name. */
    SortedMap<String, String> described() {
        SortedMap<String, String> lines = new TreeMap<>();
        lines.put("measured s", Long.toString(measured.toSeconds()));
        lines.put("warm-up s", Long.toString(warmUp.toSeconds()));
        lines.put("good user", rate + " puts a second of " + size + " bytes, to " + GOOD_PARTITIONS + " partitions");
        lines.put("neighbor", NEIGHBORS_PARTITIONS + " partitions, in a process of its own, nice 19");
        lines.put("server settings", new TreeMap<>(SERVER).toString());
        lines.put("server options", String.join(" ", SERVER_OPTIONS));
        lines.put("data", work.toString());
        return lines;
    }
}
