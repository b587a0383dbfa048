// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.talos.bench.report.FigureRow.Subject;

/** The rounds of one operation of one case. Immutable. */
final class Rounds {
    private final List<FigureRow> rows;

    private Rounds(List<FigureRow> rows) {
        this.rows = List.copyOf(rows);
    }

    /** Groups all rows by case and operation, in the order in which these came first. */
    static Map<Subject, Rounds> of(List<FigureRow> rows) {
        Map<Subject, List<FigureRow>> grouped = new LinkedHashMap<>();
        for (FigureRow row : rows) {
            grouped.computeIfAbsent(row.subject(), subject -> new ArrayList<>()).add(row);
        }
        Map<Subject, Rounds> rounds = new LinkedHashMap<>();
        grouped.forEach((subject, each) -> rounds.put(subject, new Rounds(each)));
        return rounds;
    }

    /** The values of a figure, smallest first; rounds that lack it are left out. */
    double[] sorted(String name) {
        return rows.stream()
                .mapToDouble(row -> row.value(name))
                .filter(value -> !Double.isNaN(value))
                .sorted()
                .toArray();
    }

    /** The median of a figure; NaN if no round has it. */
    double median(String name) {
        return Medians.of(Arrays.stream(sorted(name)));
    }

    double sum(String name) {
        return Arrays.stream(sorted(name)).sum();
    }
}
