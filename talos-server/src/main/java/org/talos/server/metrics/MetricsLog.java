// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Snapshot;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes all metrics to the log at intervals; histograms cover the last minute. Thread-safe. */
public final class MetricsLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger("org.talos.metrics");

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

    private void write() {
        for (Described metric : metrics.all()) {
            if (metric.reservoir() != null) {
                writeHistogram(metric, metric.reservoir().getSnapshot());
            } else if (metric.value() != null) {
                LOG.info("{} {}", metric.key(), metric.value().getAsDouble());
            }
        }
    }

    private static void writeHistogram(Described metric, Snapshot last) {
        if (last.size() > 0) {
            LOG.info(String.format(
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
    }

    /** Writes a last time. */
    @Override
    public void close() {
        if (!interval.isZero()) {
            write();
        }
    }
}
