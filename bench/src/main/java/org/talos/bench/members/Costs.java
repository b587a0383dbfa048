// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.members;

/**
 * The servers' use of resources in some time, each a rate over that time and summed over all servers. Immutable.
 *
 * @param seconds how long was measured
 * @param processors that the servers kept busy
 * @param rowWrites calls of the metadata store that write, a second
 * @param rowReads calls of the metadata store that read, a second
 * @param writtenBytes to disks by the servers' processes, a second; NaN where that is not known
 * @param loadProcessors that this process kept busy, which makes the load
 */
record Costs(
        double seconds,
        double processors,
        double rowWrites,
        double rowReads,
        double writtenBytes,
        double loadProcessors) {
    private static final double MICROS = 1e6;

    /** Returns these costs without those of idle servers. */
    Costs without(Costs idle) {
        return new Costs(
                seconds,
                processors - idle.processors,
                rowWrites - idle.rowWrites,
                rowReads - idle.rowReads,
                writtenBytes - idle.writtenBytes,
                loadProcessors);
    }

    /** Returns the processor time of a call in microseconds. */
    double microsPerCall(double callsPerSecond) {
        return processors / callsPerSecond * MICROS;
    }
}
