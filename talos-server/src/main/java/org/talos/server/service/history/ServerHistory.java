// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.history;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.talos.server.metrics.RequestMetrics;
import org.talos.server.metrics.TrafficMetrics;
import org.talos.server.metrics.TrafficMetrics.Totals;
import org.talos.server.metrics.histogram.HistogramWindow;
import org.talos.server.metrics.histogram.HistogramWindow.Percentiles;
import org.talos.server.runtime.time.Ticker;

/**
 * The last hour of this server, a point each five seconds: differences of existing counters. A point takes some hundred
 * microseconds, all of them 100 KB.
 *
 * <p>Thread-safe; {@link #sample} is for one thread at a time.
 */
public final class ServerHistory {
    /** The figures, in the order of a point. Rates are per second, times in milliseconds, of this server's part. */
    static final List<String> FIGURES = List.of(
            "putsPerSecond",
            "getsPerSecond",
            "putMessagesPerSecond",
            "getMessagesPerSecond",
            "putBytesPerSecond",
            "getBytesPerSecond",
            "errorsPerSecond",
            "refusedPerSecond",
            "putMillisP50",
            "putMillisP99",
            "putMillisP999",
            "getMillisP50",
            "getMillisP99",
            "getMillisP999",
            "cpu",
            "heapBytes",
            "storedBytes",
            "lag");

    private final TrafficMetrics traffic;
    private final RequestMetrics requests;
    private final StoredFigures stored;
    private final Ticker ticker;
    private final InstantSource clock;
    private final HistogramWindow putTimes;
    private final HistogramWindow getTimes;
    private final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    private final int processors = Runtime.getRuntime().availableProcessors();
    private final PointTable points = new PointTable(FIGURES);
    private Counted before;

    /** Creates a history, which is not measured before {@link #start}. */
    public ServerHistory(
            TrafficMetrics traffic, RequestMetrics requests, StoredFigures stored, Ticker ticker, InstantSource clock) {
        this.traffic = traffic;
        this.requests = requests;
        this.stored = stored;
        this.ticker = ticker;
        this.clock = clock;
        putTimes = traffic.putTimes();
        getTimes = traffic.getTimes();
        before = count();
    }

    /** All that was counted up to an instant. Immutable. */
    private record Counted(long nanos, Totals traffic, long errors, long refused, double cpuSeconds) {}

    private Counted count() {
        double cpuSeconds = ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? system.getProcessCpuTime() / 1e9
                : Double.NaN;
        return new Counted(
                ticker.nanos(), traffic.totals(), requests.failedByServer(), requests.failedByClient(), cpuSeconds);
    }

    /** Begins to measure. */
    public void start(ScheduledExecutorService threads) {
        long step = PointTable.STEP.toMillis();
        var unused = threads.scheduleAtFixedRate(this::sample, step, step, TimeUnit.MILLISECONDS);
    }

    /** Adds a point, for the time since the last one. */
    void sample() {
        Counted now = count();
        double seconds = (now.nanos - before.nanos) / 1e9;
        if (seconds <= 0) {
            return;
        }
        Totals last = before.traffic;
        Percentiles put = putTimes.next();
        Percentiles get = getTimes.next();
        points.add(
                PointTable.stepOf(now.nanos),
                clock.millis(),
                (now.traffic.puts() - last.puts()) / seconds,
                (now.traffic.gets() - last.gets()) / seconds,
                (now.traffic.putMessages() - last.putMessages()) / seconds,
                (now.traffic.getMessages() - last.getMessages()) / seconds,
                (now.traffic.putBytes() - last.putBytes()) / seconds,
                (now.traffic.getBytes() - last.getBytes()) / seconds,
                (now.errors - before.errors) / seconds,
                (now.refused - before.refused) / seconds,
                put.p50(),
                put.p99(),
                put.p999(),
                get.p50(),
                get.p99(),
                get.p999(),
                Math.min(1, (now.cpuSeconds - before.cpuSeconds) / seconds / processors),
                (double) memory.getHeapMemoryUsage().getUsed(),
                stored.bytes(),
                stored.lag());
        before = now;
    }

    History read(Collection<String> figures) {
        return points.read(figures, clock.millis());
    }
}
