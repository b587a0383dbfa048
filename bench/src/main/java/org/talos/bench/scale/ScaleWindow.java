// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.scale;

import java.io.IOException;
import java.util.Locale;
import java.util.SortedMap;
import org.talos.bench.load.LoadResult;
import org.talos.bench.load.MeasuredServer;
import org.talos.bench.load.Observed;
import org.talos.launcher.local.ServerState;

/**
 * Measures what the measured time takes of the server and of this client, to explain a bend.
 *
 * <p>Confined: the loop's thread, and after the run the thread that started it.
 */
final class ScaleWindow extends Observed {
    private static final double MICROS = 1e6;
    private static final double MILLIS = 1e3;
    private static final String GC = "talos_jvm_gc_seconds{collector=\"%s\"}";
    private static final String FROM_STORAGE = "talos_log_reads_from_storage_total";
    private static final String FROM_MEMORY = "talos_log_reads_from_memory_total";

    private final MeasuredServer server;

    ScaleWindow(MeasuredServer server) {
        super(server);
        this.server = server;
    }

    /**
     * The figures of an operation, by name; collects the server's garbage.
     *
     * @param size bytes of a message
     */
    SortedMap<String, Double> figures(String operation, LoadResult clients, int size) throws IOException {
        double requests = clients.latency().getTotalCount();
        SortedMap<String, Double> figures = figures(operation, clients);
        figures.put(ScalePoint.MEGABYTES, clients.perSecond() * size / 1e6);
        figures.put("server CPU us", MICROS * cpuSeconds() / requests);
        figures.put("client CPU us", MICROS * clientSeconds() / requests);
        figures.put("client cores busy", clientSeconds() * 1e9 / clients.measuredNanos());
        figures.put("GC ms a s", MILLIS * collecting() * 1e9 / clients.measuredNanos());
        if (operation.equals(ScalePoint.PUT)) {
            figures.put(
                    "flush ms mean",
                    MILLIS * during("talos_log_flush_seconds", "").mean());
            figures.put(
                    "puts a batch",
                    during("talos_dispatch_batch_tasks", "pool=\"put\"").mean());
        } else {
            double storage = increase(FROM_STORAGE);
            figures.put("from storage share", storage / (storage + increase(FROM_MEMORY)));
        }
        add(server.state(), figures);
        return figures;
    }

    /** Seconds; NaN with another collector than G1. */
    private double collecting() {
        return increase(String.format(Locale.ROOT, GC, "G1 Young Generation"))
                + increase(String.format(Locale.ROOT, GC, "G1 Old Generation"));
    }

    private static void add(ServerState state, SortedMap<String, Double> figures) {
        figures.put("heap MiB alive", (double) (state.heapBytes() >> 20));
        figures.put("resident MiB", (double) (state.residentBytes() >> 20));
        figures.put("threads", (double) state.threads());
        figures.put("open files", (double) state.openFiles());
    }
}
