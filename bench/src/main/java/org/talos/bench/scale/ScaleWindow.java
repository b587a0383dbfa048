// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.scale;

import java.io.IOException;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.Observed;
import org.talos.bench.load.Window;
import org.talos.launcher.local.ServerState;

/**
 * Measures what the measured time takes of the server and of this client, to explain a bend.
 *
 * <p>Confined: the loop's thread, and after the run the thread that started it.
 */
final class ScaleWindow implements Window {
    private static final double MICROS = 1e6;
    private static final double MILLIS = 1e3;
    private static final String GC = "talos_jvm_gc_seconds{collector=\"%s\"}";
    private static final String FROM_STORAGE = "talos_log_reads_from_storage_total";
    private static final String FROM_MEMORY = "talos_log_reads_from_memory_total";

    private final MeasuredServer server;
    private final Observed observed;

    ScaleWindow(MeasuredServer server) {
        this.server = server;
        observed = new Observed(server);
    }

    @Override
    public void opened() {
        observed.opened();
    }

    @Override
    public void closed() {
        observed.closed();
    }

    /**
     * The figures of an operation, by name; collects the server's garbage.
     *
     * @param size bytes of a message
     */
    SortedMap<String, Double> figures(String operation, LoadResult clients, int size) throws IOException {
        double requests = clients.latency().getTotalCount();
        SortedMap<String, Double> figures = new TreeMap<>(observed.figures(operation, clients));
        figures.put(ScalePoint.MEGABYTES, clients.perSecond() * size / 1e6);
        figures.put("server CPU us", MICROS * observed.cpuSeconds() / requests);
        figures.put("client CPU us", MICROS * observed.clientSeconds() / requests);
        figures.put("client cores busy", observed.clientSeconds() * 1e9 / clients.measuredNanos());
        figures.put("GC ms a s", MILLIS * collecting() * 1e9 / clients.measuredNanos());
        if (operation.equals(ScalePoint.PUT)) {
            figures.put(
                    "flush ms mean",
                    MILLIS * observed.during("talos_log_flush_seconds", "").mean());
            figures.put(
                    "puts a batch",
                    observed.during("talos_dispatch_batch_tasks", "pool=\"put\"")
                            .mean());
        } else {
            double storage = observed.increase(FROM_STORAGE);
            figures.put("from storage share", storage / (storage + observed.increase(FROM_MEMORY)));
        }
        add(server.state(), figures);
        return figures;
    }

    /** Seconds; NaN with another collector than G1. */
    private double collecting() {
        return observed.increase(String.format(Locale.ROOT, GC, "G1 Young Generation"))
                + observed.increase(String.format(Locale.ROOT, GC, "G1 Old Generation"));
    }

    private static void add(ServerState state, SortedMap<String, Double> figures) {
        figures.put("heap MiB alive", (double) (state.heapBytes() >> 20));
        figures.put("resident MiB", (double) (state.residentBytes() >> 20));
        figures.put("threads", (double) state.threads());
        figures.put("open files", (double) state.openFiles());
    }
}
