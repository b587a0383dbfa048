// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.report;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * One operation of one case in one round as numbers under names: a line of figures.csv. Immutable.
 *
 * @param values those of every measure in their order, then what else was measured, by name
 */
record FigureRow(String caseName, int round, String operation, Map<String, Double> values) {
    static final String FAILED = "failed";
    /** The figures compared and shown of every measure. */
    static final List<String> RESULTS = List.of("QPS", "mean ms", "P50 ms", "P75 ms", "P99 ms", "P999 ms", "max ms");
    /** The columns that show how much the results rest on. */
    static final List<String> EXTENT = List.of("measured", "seconds", "succeeded", FAILED);

    FigureRow {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    static FigureRow of(Measure measure) {
        Map<String, Double> values = new LinkedHashMap<>();
        values.put("QPS", measure.perSecond());
        values.put("mean ms", measure.meanMillis());
        values.put("P50 ms", measure.millisAt(50));
        values.put("P75 ms", measure.millisAt(75));
        values.put("P99 ms", measure.millisAt(99));
        values.put("P999 ms", measure.millisAt(99.9));
        values.put("max ms", measure.maxMillis());
        values.put("measured", (double) measure.latencyNanos().getTotalCount());
        values.put("seconds", measure.seconds());
        values.put("succeeded", (double) measure.succeeded());
        values.put(FAILED, (double) measure.failed());
        values.putAll(measure.figures());
        return new FigureRow(measure.caseName(), measure.round(), measure.operation(), values);
    }

    static boolean isStandard(String name) {
        return RESULTS.contains(name) || EXTENT.contains(name);
    }

    /** Names of what only some measures have, in their order. */
    static List<String> others(Collection<FigureRow> rows) {
        TreeSet<String> names = new TreeSet<>();
        rows.forEach(row -> names.addAll(row.values.keySet()));
        names.removeIf(FigureRow::isStandard);
        return List.copyOf(names);
    }

    /** The case and operation of this row. */
    Subject subject() {
        return new Subject(caseName, operation);
    }

    /** The value of a figure; NaN if it was not measured. */
    double value(String name) {
        return values.getOrDefault(name, Double.NaN);
    }

    /** One operation of one case. Immutable. */
    record Subject(String caseName, String operation) {}
}
