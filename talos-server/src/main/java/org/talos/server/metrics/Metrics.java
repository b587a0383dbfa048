// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Gauge;
import com.codahale.metrics.Histogram;
import com.codahale.metrics.MetricRegistry;
import java.util.function.LongSupplier;
import org.talos.server.runtime.Ticker;

/** The registry behind the parts' metrics. Thread-safe. */
public final class Metrics {
    private final MetricRegistry registry = new MetricRegistry();
    private final Ticker ticker;

    /** An empty registry. */
    public Metrics(Ticker ticker) {
        this.ticker = ticker;
    }

    /** All metrics, for whoever reports them. */
    MetricRegistry registry() {
        return registry;
    }

    Histogram histogram(String name) {
        return registry.histogram(name, () -> new Histogram(new HdrReservoir(ticker)));
    }

    Counter counter(String name) {
        return registry.counter(name);
    }

    void gauge(String name, LongSupplier value) {
        registry.gauge(name, () -> (Gauge<Long>) value::getAsLong);
    }
}
