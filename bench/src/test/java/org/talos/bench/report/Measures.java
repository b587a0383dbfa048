// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.report;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.talos.cli.CommandContext;

/** Measures whose figures a test can reckon, and where they are reported. Immutable. */
final class Measures {
    private Measures() {}

    /** A number of requests in one second, each as long. */
    static Measure measure(String caseName, int round, int requests, long millis, Map<String, Double> figures) {
        Histogram latency = new Histogram(3);
        latency.recordValueWithCount(millis * 1_000_000, requests);
        SortedMap<String, Double> others = new TreeMap<>(figures);
        return new Measure(caseName, round, "put", latency, 1, requests, 0, others);
    }

    static Measure measure(String caseName, int round, int requests) {
        return measure(caseName, round, requests, 4, Map.of());
    }

    static CommandContext context(Path home, ByteArrayOutputStream out) {
        return new CommandContext(Map.of(), new ByteArrayInputStream(new byte[0]), out, home, false);
    }

    static String text(ByteArrayOutputStream out) {
        return out.toString(StandardCharsets.UTF_8);
    }
}
