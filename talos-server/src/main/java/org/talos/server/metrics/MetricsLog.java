// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Snapshot;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.metrics.histogram.HdrReservoir;

/**
 * Writes metrics to the log at intervals: a line of the most important ones, or with level DEBUG a line for each of
 * them. Histograms cover the last minute. Thread-safe.
 */
public final class MetricsLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("org.talos.metrics");

    /** The metrics of the one line: traffic, latency, waiting, refusals, damage, and memory. */
    private static final Set<String> IMPORTANT = Set.of(
            "talos_puts_total",
            "talos_gets_total",
            "talos_put_seconds",
            "talos_get_seconds",
            "talos_dispatch_queue_wait_seconds",
            "talos_dispatch_refused_total",
            "talos_dispatch_expired_total",
            "talos_quota_refused_total",
            "talos_background_longest_seconds",
            "talos_partitions",
            "talos_http_request_memory_bytes",
            "talos_jvm_heap_used_bytes");

    private final Metrics metrics;
    private final Duration interval;

    /** Writes nothing before {@link #start}, and never if the interval is zero. */
    public MetricsLog(Metrics metrics, Duration interval) {
        this.metrics = metrics;
        this.interval = interval;
    }

    /** Starts writing at intervals. */
    public void start(ScheduledExecutorService background) {
        if (!interval.isZero()) {
            var unused = background.scheduleAtFixedRate(
                    this::write, interval.toMillis(), interval.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** Writes the line, or the lines, now. */
    void write() {
        if (LOG.isDebugEnabled()) {
            metrics.all().forEach(metric -> text(metric).ifPresent(LOG::debug));
        } else if (LOG.isInfoEnabled()) {
            LOG.info("metrics {}", importantText());
        }
    }

    /** Returns the important metrics that have a value, without zeros. */
    private String importantText() {
        return metrics.all().stream()
                .filter(metric -> IMPORTANT.contains(metric.name()))
                .map(MetricsLog::shortText)
                .flatMap(Optional::stream)
                .collect(Collectors.joining(" "));
    }

    private static Optional<String> shortText(Described metric) {
        HdrReservoir reservoir = metric.reservoir();
        if (reservoir != null) {
            Snapshot last = reservoir.getSnapshot();
            return last.size() == 0
                    ? Optional.empty()
                    : Optional.of(String.format(
                            Locale.ROOT,
                            "%s.p99=%.3g",
                            metric.key(),
                            metric.unit().shown(last.get99thPercentile())));
        }
        double value = metric.value() == null ? 0 : metric.value().getAsDouble();
        return value == 0 ? Optional.empty() : Optional.of(metric.key() + "=" + number(value));
    }

    /** Returns a count without a fraction, as counts are. */
    private static String number(double value) {
        return String.format(Locale.ROOT, value == Math.rint(value) ? "%.0f" : "%.3g", value);
    }

    private static Optional<String> text(Described metric) {
        HdrReservoir reservoir = metric.reservoir();
        if (reservoir != null) {
            return histogramText(metric, reservoir.getSnapshot());
        }
        return metric.value() == null
                ? Optional.empty()
                : Optional.of(metric.key() + " " + metric.value().getAsDouble());
    }

    private static Optional<String> histogramText(Described metric, Snapshot last) {
        return last.size() == 0
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "%s count=%d mean=%.6g p50=%.6g p99=%.6g p999=%.6g max=%.6g",
                        metric.key(),
                        last.size(),
                        metric.unit().shown(last.getMean()),
                        metric.unit().shown(last.getMedian()),
                        metric.unit().shown(last.get99thPercentile()),
                        metric.unit().shown(last.get999thPercentile()),
                        metric.unit().shown((double) last.getMax())));
    }

    /** Writes a last time. */
    @Override
    public void close() {
        if (!interval.isZero()) {
            write();
        }
    }
}
