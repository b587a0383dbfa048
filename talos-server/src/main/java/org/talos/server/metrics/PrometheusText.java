// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import java.util.Locale;
import org.HdrHistogram.Histogram;
import org.talos.server.metrics.histogram.HdrReservoir;

/**
 * Writes all metrics in the text format 0.0.4 of Prometheus; histograms count from the server's start.
 *
 * <p>The text writer of prometheus-metrics 1.10 would need an adapter as long as this class. It writes {@code le="1.0"}
 * where stored series have {@code le="1"}.
 *
 * <p>Thread-safe.
 */
public final class PrometheusText {
    /** The content type of the text. */
    public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final Metrics metrics;

    /** Writes these metrics. */
    public PrometheusText(Metrics metrics) {
        this.metrics = metrics;
    }

    /** The present values. */
    public String write() {
        StringBuilder text = new StringBuilder(1 << 14);
        String before = "";
        for (Described metric : metrics.all()) {
            if (!metric.name().equals(before)) {
                before = metric.name();
                text.append("# HELP ")
                        .append(before)
                        .append(' ')
                        .append(metric.help())
                        .append('\n');
                text.append("# TYPE ").append(before).append(' ');
                text.append(metric.kind().name().toLowerCase(Locale.ROOT)).append('\n');
            }
            if (metric.reservoir() != null) {
                appendHistogram(text, metric, metric.reservoir());
            } else if (metric.value() != null) {
                text.append(metric.key())
                        .append(' ')
                        .append(number(metric.value().getAsDouble()))
                        .append('\n');
            }
        }
        return text.toString();
    }

    private static void appendHistogram(StringBuilder text, Described metric, HdrReservoir reservoir) {
        HdrReservoir.Cumulative all = reservoir.cumulative();
        Histogram values = all.values();
        for (double bound : metric.unit().bounds()) {
            long recorded = metric.unit().recorded(bound);
            long count = recorded >= values.getMaxValue()
                    ? values.getTotalCount()
                    : values.getCountBetweenValues(0, recorded);
            line(text, metric, "_bucket", "le=\"" + number(bound) + "\"", Long.toString(count));
        }
        String total = Long.toString(values.getTotalCount());
        line(text, metric, "_bucket", "le=\"+Inf\"", total);
        line(text, metric, "_sum", "", number(metric.unit().shown((double) all.sum())));
        line(text, metric, "_count", "", total);
    }

    private static void line(StringBuilder text, Described metric, String suffix, String label, String value) {
        text.append(metric.name()).append(suffix);
        String both = metric.labels() + (metric.labels().isEmpty() || label.isEmpty() ? "" : ",") + label;
        if (!both.isEmpty()) {
            text.append('{').append(both).append('}');
        }
        text.append(' ').append(value).append('\n');
    }

    private static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }
}
