// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.DoubleSupplier;
import org.talos.bench.load.ServerMetrics.Interval;

/**
 * The server's metrics over the measured time, sampled at its begin and at its end.
 *
 * <p>Confined: the loop's thread, and after the run the thread that started it.
 */
public class Observed implements Window {
    private static final double MILLIS = 1e3;

    private final Observable server;
    private final Map<String, DoubleSupplier> counters = new HashMap<>();
    private final Map<String, Double> grown = new HashMap<>();
    private ServerMetrics before = ServerMetrics.NONE;
    private ServerMetrics after = before;
    private double cpuSeconds;
    private double clientSeconds;
    private long nanos;

    /** Samples one server during one run. */
    public Observed(Observable server) {
        this.server = server;
    }

    /** Samples something else as well that only grows; NaN is none. */
    public Observed also(String name, DoubleSupplier counter) {
        counters.put(name, counter);
        return this;
    }

    /** How much something else has grown. */
    public double grown(String name) {
        return grown.getOrDefault(name, Double.NaN);
    }

    @Override
    public void opened() {
        before = sample();
        counters.forEach((name, counter) -> grown.put(name, -counter.getAsDouble()));
        cpuSeconds = -server.cpuSeconds();
        clientSeconds = -ownSeconds();
        nanos = -System.nanoTime();
    }

    @Override
    public void closed() {
        nanos += System.nanoTime();
        clientSeconds += ownSeconds();
        cpuSeconds += server.cpuSeconds();
        counters.forEach((name, counter) -> grown.merge(name, counter.getAsDouble(), Double::sum));
        after = sample();
    }

    private static double ownSeconds() {
        return ProcessHandle.current()
                        .info()
                        .totalCpuDuration()
                        .orElse(Duration.ZERO)
                        .toNanos()
                / 1e9;
    }

    private ServerMetrics sample() {
        try {
            return server.metrics();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Processors that the server kept busy. */
    public double busyCores() {
        return cpuSeconds * 1e9 / nanos;
    }

    /** Processor seconds of the server. */
    public double cpuSeconds() {
        return cpuSeconds;
    }

    /** Processor seconds of this process, the client. */
    public double clientSeconds() {
        return clientSeconds;
    }

    /** How long was measured. */
    public double seconds() {
        return nanos / 1e9;
    }

    /** A gauge at the end. */
    public double gauge(String key) {
        return after.value(key);
    }

    /** Returns how much a counter has grown; NaN if there is none of that name and labels. */
    public double increase(String key) {
        return after.value(key) - before.value(key);
    }

    /** The counts of a histogram over the measured time. */
    public Interval during(String histogram, String labels) {
        return after.since(before, histogram, labels);
    }

    /**
     * The figures of an operation beside what its clients measured.
     *
     * @param pool of the server's executor that runs it
     */
    public SortedMap<String, Double> figures(String pool, LoadResult clients) {
        String labels = "pool=\"" + pool + "\"";
        Interval wait = during("talos_dispatch_queue_wait_seconds", labels);
        Interval run = during("talos_dispatch_run_seconds", labels);
        double latencyMillis = clients.latency().getMean() / 1e6;
        return new TreeMap<>(Map.of(
                "queue wait ms mean",
                wait.mean() * MILLIS,
                "queue wait ms P999",
                wait.quantile(0.999) * MILLIS,
                "storage ms mean",
                run.mean() * MILLIS,
                "storage share",
                run.mean() * MILLIS / latencyMillis,
                "server cores busy",
                busyCores(),
                "distinct workers",
                gauge("talos_dispatch_distinct_workers{" + labels + "}")));
    }
}
