// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.talos.bench.load.Observed;

/**
 * Measures what is read within the measured time, and what it takes of the processors: the server's, this client's, and
 * those of the store's daemons.
 *
 * <p>Confined: the loop's thread, and after the run the thread that started it; {@link #isOpen} is thread-safe.
 */
final class ReplayWindow extends Observed {
    static final String MEGABYTES = "MB/s";
    static final String SERVER_CPU = "server CPU s a GB";
    static final String CLIENT_CPU = "client CPU s a GB";
    static final String DAEMON_CPU = "daemons CPU s a GB";

    private static final String DAEMONS = "daemons";
    private static final String BYTES = "bytes";

    private volatile boolean open;

    /** @param readBytes so far */
    ReplayWindow(ReplaySite site, LongSupplier readBytes) {
        super(site.server());
        also(DAEMONS, site::daemonSeconds);
        also(BYTES, () -> (double) readBytes.getAsLong());
    }

    @Override
    public void opened() {
        super.opened();
        open = true;
    }

    @Override
    public void closed() {
        open = false;
        super.closed();
    }

    /** Returns whether the time is being measured now. */
    boolean isOpen() {
        return open;
    }

    /** Returns how busy processors were, with any work. */
    SortedMap<String, Double> cores() {
        return measured(
                "server cores busy", busyCores(),
                "client cores busy", clientSeconds() / seconds(),
                "daemons cores busy", grown(DAEMONS) / seconds());
    }

    /** Returns how much was read, beside how busy processors were. */
    SortedMap<String, Double> reading() {
        double storage = increase("talos_log_reads_from_storage_total");
        double memory = increase("talos_log_reads_from_memory_total");
        SortedMap<String, Double> figures = cores();
        figures.put(MEGABYTES, grown(BYTES) / 1e6 / seconds());
        if (storage + memory > 0) {
            figures.put("from storage share", storage / (storage + memory));
        }
        return figures;
    }

    /** Returns the cost of a GB, where nothing else was done meanwhile. */
    SortedMap<String, Double> costs() {
        double gigabytes = grown(BYTES) / 1e9;
        SortedMap<String, Double> figures = reading();
        figures.putAll(measured(
                SERVER_CPU, cpuSeconds() / gigabytes,
                CLIENT_CPU, clientSeconds() / gigabytes,
                DAEMON_CPU, grown(DAEMONS) / gigabytes));
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
