// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.scale;

import static org.talos.bench.report.Text.format;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.talos.bench.report.ChartPoint;
import org.talos.bench.report.Columns;
import org.talos.bench.report.Medians;
import org.talos.bench.report.RunReport;

/** The curves, as medians over the rounds: their tables, their charts, and where they bend. Immutable. */
final class ScaleResults {
    /** A figure that has changed less across a bend explains nothing of it. */
    private static final double CHANGED = 1.5;

    private static final int MOST_CHANGED = 6;
    private static final String MEAN = "mean ms";
    private static final String P99 = "P99 ms";
    private static final List<String> SHOWN = List.of(
            ScalePoint.MEGABYTES,
            "server cores busy",
            "server CPU us",
            "client CPU us",
            "queue wait ms mean",
            "flush ms mean",
            "puts a batch",
            "from storage share",
            "GC ms a s",
            "heap MiB alive",
            "resident MiB",
            "threads",
            "open files",
            KeptData.RESTART);

    private final List<ScalePoint> all;

    ScaleResults(List<ScalePoint> all) {
        this.all = List.copyOf(all);
    }

    /** A curve of one operation, by point and round. Immutable. */
    private record Line(Curve curve, String operation, TreeMap<Long, List<ScalePoint>> points) {
        double median(long point, String figure) {
            return Medians.of(
                    points.getOrDefault(point, List.of()).stream().mapToDouble(each -> valueOf(each, figure)));
        }

        private static double valueOf(ScalePoint point, String figure) {
            return switch (figure) {
                case MEAN -> point.measure().meanMillis();
                case P99 -> point.measure().millisAt(99);
                default -> point.value(figure);
            };
        }

        List<Double> column(String figure) {
            return points.keySet().stream().map(point -> median(point, figure)).toList();
        }

        List<ChartPoint> drawn(String figure) {
            return points.keySet().stream()
                    .map(point -> new ChartPoint(point, median(point, figure)))
                    .toList();
        }

        String name() {
            return curve.label() + ", " + operation;
        }
    }

    private List<Line> lines() {
        Map<String, Line> lines = new LinkedHashMap<>();
        for (ScalePoint each : all) {
            String operation = each.measure().operation();
            lines.computeIfAbsent(each.curve() + operation, name -> new Line(each.curve(), operation, new TreeMap<>()))
                    .points
                    .computeIfAbsent(each.point(), point -> new ArrayList<>())
                    .add(each);
        }
        return List.copyOf(lines.values());
    }

    /** A table for each curve, and below it where it bends and what else changes there. */
    List<String> text() {
        List<String> text = new ArrayList<>();
        for (Line line : lines()) {
            text.add(line.name() + ":");
            text.addAll(table(line));
            text.addAll(bend(line));
            text.add("");
        }
        return text;
    }

    private static List<String> table(Line line) {
        Columns columns = new Columns();
        columns.numbers(line.curve.title(), line.points.keySet(), Long::doubleValue);
        List<Double> judged = line.column(line.curve.judgedBy());
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < judged.size(); i++) {
            ratios.add(i == 0 ? Double.NaN : judged.get(i) / judged.get(i - 1));
        }
        columns.numbers(ScalePoint.RATE, line.column(ScalePoint.RATE));
        columns.numbers("to the one before", ratios);
        columns.numbers(MEAN, line.column(MEAN));
        columns.numbers(P99, line.column(P99));
        for (String figure : SHOWN) {
            List<Double> values = line.column(figure);
            if (values.stream().anyMatch(value -> !value.isNaN())) {
                columns.numbers(figure, values);
            }
        }
        return columns.lines();
    }

    private static List<String> bend(Line line) {
        String judgedBy = line.curve.judgedBy();
        Optional<Bend> found = Bend.of(line.drawn(judgedBy));
        if (found.isEmpty()) {
            return List.of("no bend: no point is less than 0.9 of what the line through the two before it gives");
        }
        Bend bend = found.get();
        List<String> lines = new ArrayList<>();
        lines.add(format(
                "bends between %,.0f and %,.0f %s: %.2f of the %s that the line through the points before gives",
                bend.from(), bend.to(), line.curve.title(), bend.ofExpected(), shown(judgedBy)));
        lines.add("    what else changes there: " + changes(line, (long) bend.from(), (long) bend.to()));
        return lines;
    }

    private static String shown(String judgedBy) {
        return judgedBy.equals(ScalePoint.RATE) ? "requests a second" : judgedBy;
    }

    /** The change of a figure from one point to the next. Immutable. */
    private record Change(String figure, double from, double to) {
        double size() {
            return Math.abs(Math.log(to / from));
        }

        String text() {
            return format("%s %s to %s", figure, number(from), number(to));
        }

        private static String number(double value) {
            return Math.abs(value) >= 100 ? format("%,.0f", value) : format("%.3g", value);
        }
    }

    private static String changes(Line line, long from, long to) {
        SortedSet<String> names = new TreeSet<>(List.of(MEAN, P99));
        line.points
                .values()
                .forEach(rounds -> rounds.forEach(
                        each -> names.addAll(each.measure().figures().keySet())));
        List<String> texts = names.stream()
                .map(name -> new Change(name, line.median(from, name), line.median(to, name)))
                .filter(change -> change.from > 0 && change.to > 0 && change.size() > Math.log(CHANGED))
                .sorted(Comparator.comparingDouble(Change::size).reversed())
                .limit(MOST_CHANGED)
                .map(Change::text)
                .toList();
        return texts.isEmpty() ? "nothing by half or more" : String.join("; ", texts);
    }

    /** Draws each curve, and latency along it. */
    void draw(RunReport report) {
        for (Curve curve : curves()) {
            Map<String, List<ChartPoint>> judged = new LinkedHashMap<>();
            Map<String, List<ChartPoint>> latency = new LinkedHashMap<>();
            for (Line line : lines()) {
                if (line.curve == curve) {
                    judged.put(line.operation, line.drawn(curve.judgedBy()));
                    latency.put(line.operation + ", mean", line.drawn(MEAN));
                    latency.put(line.operation + ", P99", line.drawn(P99));
                }
            }
            String by = shown(curve.judgedBy());
            report.lineChart(curve.label(), by + " by " + curve.title(), curve.title(), by, judged);
            report.lineChart(curve.label() + "-latency", "Latency by " + curve.title(), curve.title(), "ms", latency);
        }
    }

    private List<Curve> curves() {
        return Arrays.stream(Curve.values())
                .filter(curve -> all.stream().anyMatch(each -> each.curve() == curve))
                .toList();
    }
}
