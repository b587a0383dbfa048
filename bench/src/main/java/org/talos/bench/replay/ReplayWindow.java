// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.talos.bench.load.Observed;
import org.talos.bench.load.Window;

/**
 * Measures what is read within the measured time, and what it takes of the processors: the server's, this client's, and
 * those of the store's daemons.
 *
 * <p>Confined: the loop's thread, and after the run the thread that started it; {@link #isOpen} is thread-safe.
 */
final class ReplayWindow implements Window {
    static final String MEGABYTES = "MB/s";
    static final String SERVER_CPU = "server CPU s a GB";
    static final String CLIENT_CPU = "client CPU s a GB";
    static final String DAEMON_CPU = "daemons CPU s a GB";

    private static final String DAEMONS = "daemons";
    private static final String BYTES = "bytes";

    private final Observed observed;
    private volatile boolean open;

    /** @param readBytes so far */
    ReplayWindow(ReplaySite site, LongSupplier readBytes) {
        observed = new Observed(site.server())
                .also(DAEMONS, site::daemonSeconds)
                .also(BYTES, () -> (double) readBytes.getAsLong());
    }

    @Override
    public void opened() {
        observed.opened();
        open = true;
    }

    @Override
    public void closed() {
        open = false;
        observed.closed();
    }

    /** Returns whether the time is being measured now. */
    boolean isOpen() {
        return open;
    }

    /** Returns how busy processors were, with any work. */
    SortedMap<String, Double> cores() {
        return measured(
                "server cores busy", observed.busyCores(),
                "client cores busy", observed.clientSeconds() / observed.seconds(),
                "daemons cores busy", observed.grown(DAEMONS) / observed.seconds());
    }

    /** Returns how much was read, beside how busy processors were. */
    SortedMap<String, Double> reading() {
        double storage = observed.increase("talos_log_reads_from_storage_total");
        double memory = observed.increase("talos_log_reads_from_memory_total");
        SortedMap<String, Double> figures = cores();
        figures.put(MEGABYTES, observed.grown(BYTES) / 1e6 / observed.seconds());
        if (storage + memory > 0) {
            figures.put("from storage share", storage / (storage + memory));
        }
        return figures;
    }

    /** Returns the cost of a GB, where nothing else was done meanwhile. */
    SortedMap<String, Double> costs() {
        double gigabytes = observed.grown(BYTES) / 1e9;
        SortedMap<String, Double> figures = reading();
        figures.putAll(measured(
                SERVER_CPU, observed.cpuSeconds() / gigabytes,
                CLIENT_CPU, observed.clientSeconds() / gigabytes,
                DAEMON_CPU, observed.grown(DAEMONS) / gigabytes));
        return figures;
    }

    /** Without the daemons' figure where there are none. */
    private static SortedMap<String, Double> measured(
            String server, double ofServer, String client, double ofClient, String daemons, double ofDaemons) {
        SortedMap<String, Double> figures = new TreeMap<>();
        figures.put(server, ofServer);
        figures.put(client, ofClient);
        if (!Double.isNaN(ofDaemons)) {
            figures.put(daemons, ofDaemons);
        }
        return figures;
    }
}
