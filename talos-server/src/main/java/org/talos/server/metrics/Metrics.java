// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.Gauge;
import com.codahale.metrics.Histogram;
import com.codahale.metrics.MetricRegistry;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.talos.server.metrics.Described.Kind;
import org.talos.server.metrics.histogram.HdrReservoir;
import org.talos.server.runtime.time.Ticker;

/** The registry of all metrics, with their descriptions. Thread-safe. */
public final class Metrics {
    static final String CERTIFICATE_END =
            "When the certificate that clients or other servers see ends, in seconds since 1970; 0 without TLS.";

    private final MetricRegistry registry = new MetricRegistry();
    private final ConcurrentSkipListMap<String, Described> described = new ConcurrentSkipListMap<>();
    private final List<Metrics> parts = new CopyOnWriteArrayList<>();
    private final List<Supplier<List<Described>>> sources = new CopyOnWriteArrayList<>();
    private final Ticker ticker;

    /** An empty registry. */
    public Metrics(Ticker ticker) {
        this.ticker = ticker;
    }

    /** All metrics, ordered by name and labels. */
    Collection<Described> all() {
        Map<String, Described> all = new TreeMap<>(described);
        parts.forEach(part -> all.putAll(part.described));
        sources.forEach(source -> source.get().forEach(metric -> all.put(metric.key(), metric)));
        return all.values();
    }

    /**
     * Creates a registry of its own for a part that may fail to start, and start again. Its metrics are shown from
     * {@link #add} on.
     */
    public Metrics part() {
        return new Metrics(ticker);
    }

    /** Shows the metrics of a part, including those that it gets later. */
    public void add(Metrics part) {
        parts.add(part);
    }

    /** Shows metrics that come and go: the present ones. */
    void addSource(Supplier<List<Described>> source) {
        sources.add(source);
    }

    Histogram histogram(String name, String labels, Unit unit, String help) {
        return histogram(name, labels, unit, help, new HdrReservoir(ticker));
    }

    /** A histogram without labels, of values that somebody else looks at, too. */
    Histogram histogram(String name, Unit unit, String help, HdrReservoir reservoir) {
        return histogram(name, "", unit, help, reservoir);
    }

    private Histogram histogram(String name, String labels, Unit unit, String help, HdrReservoir reservoir) {
        add(new Described(name, labels, help, Kind.HISTOGRAM, unit, reservoir, null));
        return registry.histogram(key(name, labels), () -> new Histogram(reservoir));
    }

    /** The values of a histogram, for callers that record them in their own way. */
    HdrReservoir reservoir(String name, String labels, Unit unit, String help) {
        HdrReservoir reservoir = new HdrReservoir(ticker);
        add(new Described(name, labels, help, Kind.HISTOGRAM, unit, reservoir, null));
        return reservoir;
    }

    Counter counter(String name, String labels, String help) {
        Counter counter = registry.counter(key(name, labels));
        add(new Described(name, labels, help, Kind.COUNTER, Unit.TASKS, null, counter::getCount));
        return counter;
    }

    /** A counter that somebody else keeps. */
    void counter(String name, String labels, String help, LongSupplier value) {
        add(new Described(name, labels, help, Kind.COUNTER, Unit.TASKS, null, value::getAsLong));
        registry.gauge(key(name, labels), () -> (Gauge<Long>) value::getAsLong);
    }

    void gauge(String name, String labels, String help, LongSupplier value) {
        gauge(name, labels, help, (DoubleSupplier) value::getAsLong);
    }

    void gauge(String name, String labels, String help, DoubleSupplier value) {
        add(new Described(name, labels, help, Kind.GAUGE, Unit.TASKS, null, value));
        registry.gauge(key(name, labels), () -> (Gauge<Double>) value::getAsDouble);
    }

    private void add(Described metric) {
        if (described.putIfAbsent(metric.key(), metric) != null) {
            throw new IllegalStateException("metric " + metric.key() + " is there already");
        }
    }

    private static String key(String name, String labels) {
        return labels.isEmpty() ? name : name + "{" + labels + "}";
    }
}
