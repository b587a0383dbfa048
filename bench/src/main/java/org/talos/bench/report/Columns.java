// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** A text table of columns as wide as their content. Confined: the thread that builds it. */
public final class Columns {
    private static final int SIGNIFICANT = 3;
    private static final int MOST_DIGITS = 4;
    private static final String GAP = "  ";

    private final List<List<String>> columns = new ArrayList<>();

    /** A column that starts at the left. */
    public void text(String title, List<String> cells) {
        int width = width(title, cells);
        columns.add(padded("%-" + width + "s", title, cells));
    }

    /** A column that starts at the left, with a cell of each row. */
    public <R> void text(String title, Collection<R> rows, Function<R, String> cell) {
        text(title, rows.stream().map(cell).toList());
    }

    /** A column of numbers with one of each row. */
    public <R> void numbers(String title, Collection<R> rows, ToDoubleFunction<R> figure) {
        numbers(title, rows.stream().mapToDouble(figure).boxed().toList());
    }

    /** A column of numbers with as many digits as show the smallest; of what was not measured, NaN, there is a dash. */
    public void numbers(String title, List<Double> values) {
        int digits = digits(values);
        List<String> cells = values.stream().map(value -> number(value, digits)).toList();
        int width = width(title, cells);
        columns.add(padded("%" + width + "s", title, cells));
    }

    /** The title, then a line a row. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (int row = 0; row < columns.get(0).size(); row++) {
            List<String> cells = new ArrayList<>();
            for (List<String> column : columns) {
                cells.add(column.get(row));
            }
            lines.add(String.join(GAP, cells).stripTrailing());
        }
        return lines;
    }

    private static String number(double value, int digits) {
        return Double.isNaN(value) ? "–" : String.format(Locale.ROOT, "%." + digits + "f", value);
    }

    /** None for counts; otherwise so many that the smallest has three that mean something. */
    private static int digits(List<Double> values) {
        double[] sizes = values.stream()
                .mapToDouble(Math::abs)
                .filter(value -> value > 0 && Double.isFinite(value))
                .toArray();
        if (Arrays.stream(sizes).allMatch(value -> value == Math.rint(value))) {
            return 0;
        }
        double smallest = Arrays.stream(sizes).min().orElse(1);
        int whole = (int) Math.floor(Math.log10(smallest)) + 1;
        return Math.min(MOST_DIGITS, Math.max(0, SIGNIFICANT - whole));
    }

    private static int width(String title, List<String> cells) {
        return Math.max(
                title.length(), cells.stream().mapToInt(String::length).max().orElse(1));
    }

    private static List<String> padded(String format, String title, List<String> cells) {
        List<String> column = new ArrayList<>();
        column.add(String.format(Locale.ROOT, format, title));
        cells.forEach(cell -> column.add(String.format(Locale.ROOT, format, cell)));
        return column;
    }
}
