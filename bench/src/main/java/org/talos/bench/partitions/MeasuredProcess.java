// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.partitions;

import java.io.IOException;
import java.net.URI;
import org.talos.bench.load.ServerMetrics;
import org.talos.client.TalosEndpoint;
import org.talos.launcher.local.SpawnedServer;

/** A server that runs. Immutable. */
record MeasuredProcess(String name, SpawnedServer process, TalosEndpoint endpoint, URI management) {
    /** How many partitions it serves, as it says. */
    int serving() throws IOException {
        double serving = ServerMetrics.of(management).value("talos_partitions{state=\"serving\"}");
        return Double.isNaN(serving) ? 0 : (int) serving;
    }
}
