// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import static org.talos.bench.report.Text.format;

/**
 * One point of the sweep. Immutable.
 *
 * @param delayMillis added in each direction
 * @param size bytes of a message
 * @param clients each with one request in flight
 */
record Cell(int delayMillis, int size, int clients) {
    /** The size as people write it. */
    static String sizeLabel(int bytes) {
        return bytes < 1 << 20 ? bytes / 1_024 + " KiB" : bytes / (1 << 20) + " MiB";
    }

    /** As it is written in reports; by netem and by a relay are not the same, so they have not the same name. */
    String label(boolean netem) {
        String by = delayMillis == 0 ? "" : netem ? " by netem" : " by relay";
        return format("%d ms%s, %s, %d client%s", delayMillis, by, sizeLabel(size), clients, clients == 1 ? "" : "s");
    }
}
