// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The settings of a sweep, passed to its process as JSON. Immutable.
 *
 * @param sizes bytes of a message
 * @param clients each with one request in flight
 * @param delays milliseconds added in each direction
 * @param work folder for the server's data
 * @param serverOptions of the server's JVM
 * @param iperf3 whether it is there, so that streams are compared with it
 * @param netem whether the kernel delays packets, or else a relay bytes
 * @param windows of streams, in bytes
 */
record PayloadSettings(
        List<Integer> sizes,
        List<Integer> clients,
        List<Integer> delays,
        long warmUpMillis,
        long measuredMillis,
        String work,
        List<String> serverOptions,
        long seed,
        boolean iperf3,
        boolean netem,
        List<Integer> windows) {
    /** Bytes of the largest message that a server is set up for. */
    static final int LARGEST_MESSAGE = 64 << 20;

    PayloadSettings {
        sizes = List.copyOf(sizes);
        clients = List.copyOf(clients);
        delays = List.copyOf(delays);
        serverOptions = List.copyOf(serverOptions);
        windows = List.copyOf(windows);
    }

    /** Returns the number of figures. */
    int figures() {
        long messages = sizes.stream().filter(each -> each <= LARGEST_MESSAGE).count();
        long carried = messages * Puts.Form.values().length + (long) sizes.size() * (windows.size() + (iperf3 ? 1 : 0));
        long written = has(DiskWrites.CELL) ? 1 : 0;
        return (int) (carried * clients.size() * delays.size() + written);
    }

    /** Returns whether the sweep has a cell. */
    boolean has(Cell cell) {
        return delays.contains(cell.delayMillis()) && sizes.contains(cell.size()) && clients.contains(cell.clients());
    }

    /** For settings.txt. */
    SortedMap<String, String> described(Network network) {
        SortedMap<String, String> lines = new TreeMap<>();
        lines.put("message bytes", sizes.toString());
        lines.put("clients", clients.toString());
        lines.put("delays ms", delays.toString());
        lines.put("windows of streams", windows.toString());
        lines.put("delayed by", network.described());
        lines.put("compared with", iperf3 ? Iperf3.DESCRIBED : "nothing: no iperf3 here");
        lines.put("warm-up ms", Long.toString(warmUpMillis));
        lines.put("measured ms", Long.toString(measuredMillis));
        lines.put("data", work);
        lines.put("server options", serverOptions.toString());
        lines.put("seed", Long.toString(seed));
        Sweep.serverSettings(this).forEach((name, value) -> lines.put("server TALOS_" + name, value));
        return lines;
    }
}
