// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.report;

import static org.talos.bench.report.Text.format;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * A chart while it is drawn: title, legend and axes around what is shown. Values that are not finite are left out.
 *
 * <p>Charts must open as files, without fonts or scripts, and have an axis of nines. XChart 3.8.8 brings 4.3 MB of
 * jars, needs fonts for AWT (its issue 648), and has no marks at chosen places (issue 865). Vega-Lite needs scripts. A
 * fourth kind of chart would be a reason to use a library.
 *
 * <p>Confined: the thread that draws it.
 */
final class Chart {
    private static final int WIDTH = 880;
    private static final int HEIGHT = 500;
    private static final int LEFT = 80;
    private static final int RIGHT = 24;
    private static final int LEGEND_TOP = 46;
    private static final int ROW = 20;
    private static final double LETTER = 6.8; // of the font, on the average
    private static final int MARK = 12;
    private static final String GRID = "#ddd";
    private static final String AXIS = "#444";
    private static final String SMALL = "font-size=\"11\"";
    private static final double BARS_SHARE = 0.8;
    private static final int MOST_BARS_WITH_NUMBERS = 32;
    private static final int MOST_DOTS = 50;
    private static final int POINTS_TO_HALF = 10;
    private static final double NANOS_PER_MILLI = 1e6;

    /** The palette of Okabe and Ito, which color-blind readers can distinguish; after these come dashes. */
    private static final List<String> COLOURS =
            List.of("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#555555");

    private static final List<String> DASHES = List.of("none", "6 3", "2 3");

    private final Svg svg = new Svg(WIDTH, HEIGHT);
    private final double top;
    private final double bottom;

    private Chart(String title, Collection<String> series, int belowAxis) {
        svg.text(WIDTH / 2.0, 26, "middle", "font-size=\"17\"", title);
        top = legend(series) + ROW;
        bottom = HEIGHT - belowAxis;
    }

    /** A group of bars for each category, in the order in which the series name them. */
    static String ofBars(String title, String yTitle, Map<String, ? extends Map<String, Double>> series) {
        Set<String> names = new LinkedHashSet<>();
        List<Double> values = new ArrayList<>();
        for (Map<String, Double> each : series.values()) {
            names.addAll(each.keySet());
            values.addAll(each.values());
        }
        values.removeIf(value -> !Double.isFinite(value));
        List<String> categories = List.copyOf(names);
        double group = (double) (WIDTH - LEFT - RIGHT) / Math.max(1, categories.size());
        double longest =
                LETTER * categories.stream().mapToInt(String::length).max().orElse(0);
        boolean slanted = longest > group;
        Chart chart = new Chart(title, series.keySet(), slanted ? (int) Math.min(160, 40 + longest / 2) : 56);
        Scale y = Scale.linear(values.stream().mapToDouble(value -> value).max().orElse(1));
        chart.yAxis(yTitle, y);
        for (int i = 0; i < categories.size(); i++) {
            chart.category(LEFT + (i + 0.5) * group, categories.get(i), slanted);
        }
        int number = 0;
        for (Map.Entry<String, ? extends Map<String, Double>> each : series.entrySet()) {
            double width = group * BARS_SHARE / series.size();
            for (Map.Entry<String, Double> bar : each.getValue().entrySet()) {
                double left = LEFT + (categories.indexOf(bar.getKey()) + (1 - BARS_SHARE) / 2) * group + number * width;
                String tip = each.getKey() + ", " + bar.getKey();
                chart.bar(new ChartPoint(left, bar.getValue()), width, y, color(number), tip, values.size());
            }
            number++;
        }
        return chart.svg.finished();
    }

    /** A line for each series; axes whose values are far apart are logarithmic. */
    static String ofLines(String title, String xTitle, String yTitle, Map<String, List<ChartPoint>> series) {
        Map<String, List<ChartPoint>> finite = new LinkedHashMap<>();
        series.forEach((name, points) -> finite.put(
                name,
                points.stream()
                        .filter(point -> Double.isFinite(point.x()) && Double.isFinite(point.y()))
                        .toList()));
        List<ChartPoint> all = finite.values().stream().flatMap(List::stream).toList();
        Scale x = Scale.fitting(all.stream().map(ChartPoint::x).toList());
        return lines(new Chart(title, series.keySet(), 64), xTitle, x, yTitle, finite);
    }

    /** Latency in milliseconds by percentile. */
    static String ofPercentiles(String title, Map<String, Histogram> series) {
        Map<String, List<ChartPoint>> points = new LinkedHashMap<>();
        series.forEach((name, histogram) -> points.put(name, percentiles(histogram)));
        double highest = points.values().stream()
                .flatMap(List::stream)
                .mapToDouble(ChartPoint::x)
                .max()
                .orElse(99);
        Chart chart = new Chart(title, series.keySet(), 64);
        return lines(chart, "percentile", Scale.percentiles(highest), "ms", points);
    }

    /** The longest of n is put where it begins to be the longest: at 1 - 1/n, for 100 % is nowhere on the axis. */
    private static List<ChartPoint> percentiles(Histogram histogram) {
        List<ChartPoint> points = new ArrayList<>();
        double highest = 100 - 100.0 / Math.max(1, histogram.getTotalCount());
        for (HistogramIterationValue each : histogram.percentiles(POINTS_TO_HALF)) {
            double percentile = Math.min(highest, each.getPercentileLevelIteratedTo());
            points.add(new ChartPoint(percentile, each.getValueIteratedTo() / NANOS_PER_MILLI));
        }
        return points;
    }

    private static String lines(
            Chart chart, String xTitle, Scale x, String yTitle, Map<String, List<ChartPoint>> series) {
        Scale y = Scale.fitting(series.values().stream()
                .flatMap(List::stream)
                .map(ChartPoint::y)
                .toList());
        chart.yAxis(yTitle, y);
        chart.xAxis(xTitle, x);
        int number = 0;
        for (Map.Entry<String, List<ChartPoint>> each : series.entrySet()) {
            chart.line(each.getKey(), each.getValue(), x, y, number);
            number++;
        }
        return chart.svg.finished();
    }

    private void line(String name, List<ChartPoint> points, Scale xScale, Scale yScale, int number) {
        List<ChartPoint> places = points.stream()
                .map(point -> new ChartPoint(x(xScale.share(point.x())), y(yScale.share(point.y()))))
                .toList();
        svg.path(places, color(number), DASHES.get(number / COLOURS.size() % DASHES.size()));
        if (points.size() <= MOST_DOTS) {
            for (int i = 0; i < points.size(); i++) {
                ChartPoint point = points.get(i);
                String tip = name + ": " + Scale.label(point.y()) + " at " + Scale.label(point.x());
                svg.dot(places.get(i).x(), places.get(i).y(), color(number), tip);
            }
        }
    }

    private void bar(ChartPoint value, double width, Scale scale, String color, String what, int bars) {
        if (!Double.isFinite(value.y())) {
            return;
        }
        double end = y(scale.share(Math.max(0, value.y())));
        String number = Scale.label(value.y());
        svg.rectangle(value.x(), end, width, bottom - end, color, what + ": " + number);
        if (bars <= MOST_BARS_WITH_NUMBERS) {
            svg.text(value.x() + width / 2, end - 4, "middle", "font-size=\"10\"", number);
        }
    }

    private void yAxis(String title, Scale scale) {
        for (Scale.Tick tick : scale.ticks()) {
            double place = y(scale.share(tick.value()));
            svg.line(LEFT, place, WIDTH - RIGHT, place, GRID);
            svg.text(LEFT - 8, place + 4, "end", SMALL, tick.label());
        }
        double middle = (top + bottom) / 2;
        svg.text(20, middle, "middle", format("transform=\"rotate(-90 20 %d)\"", (int) middle), title);
        svg.line(LEFT, bottom, WIDTH - RIGHT, bottom, AXIS);
    }

    private void xAxis(String title, Scale scale) {
        for (Scale.Tick tick : scale.ticks()) {
            double place = x(scale.share(tick.value()));
            svg.line(place, bottom, place, bottom + 5, AXIS);
            svg.text(place, bottom + ROW, "middle", SMALL, tick.label());
        }
        svg.text((LEFT + WIDTH - RIGHT) / 2.0, bottom + 2 * ROW + 4, "middle", "", title);
    }

    private void category(double place, String name, boolean slanted) {
        double y = bottom + ROW;
        if (slanted) {
            String turned = format("transform=\"rotate(-30 %d %d)\" ", (int) place, (int) y);
            svg.text(place, y, "end", turned + SMALL, name);
        } else {
            svg.text(place, y, "middle", SMALL, name);
        }
    }

    /** Returns where it ends. */
    private double legend(Collection<String> series) {
        double x = LEFT;
        double y = LEGEND_TOP;
        int number = 0;
        for (String name : series) {
            double width = MARK + 6 + LETTER * name.length() + 18;
            if (x > LEFT && x + width > WIDTH - RIGHT) {
                x = LEFT;
                y += ROW;
            }
            svg.rectangle(x, y - 10, MARK, MARK, color(number), name);
            svg.text(x + MARK + 6, y, "start", "", name);
            x += width;
            number++;
        }
        return y;
    }

    private static String color(int series) {
        return COLOURS.get(series % COLOURS.size());
    }

    private double x(double share) {
        return LEFT + share * (WIDTH - RIGHT - LEFT);
    }

    private double y(double share) {
        return bottom - share * (bottom - top);
    }
}
