// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Slf4jReporter;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;

/** Writes all metrics to the log at intervals, and once more when closed. Thread-safe. */
public final class MetricsLog implements AutoCloseable {
    private final Slf4jReporter reporter;
    private final Duration interval;

    /** Nothing is written before {@link #start()}; an interval of zero means never. */
    public MetricsLog(Metrics metrics, Duration interval) {
        this.interval = interval;
        reporter = Slf4jReporter.forRegistry(metrics.registry())
                .outputTo(LoggerFactory.getLogger("org.talos.metrics"))
                .convertDurationsTo(TimeUnit.SECONDS)
                .build();
    }

    /** Begins to write. */
    public void start() {
        if (!interval.isZero()) {
            reporter.start(interval.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public void close() {
        if (!interval.isZero()) {
            reporter.report();
        }
        reporter.close();
    }
}
