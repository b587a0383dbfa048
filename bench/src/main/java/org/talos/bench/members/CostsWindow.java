// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.members;

import java.util.function.DoubleSupplier;
import org.talos.bench.load.Observable;
import org.talos.bench.load.Observed;
import org.talos.bench.load.Window;

/**
 * Measures what servers use over the measured time.
 *
 * <p>Confined: the loop's thread, and after the run the thread that started it.
 */
final class CostsWindow implements Window {
    private static final String WRITTEN = "written";

    private final Observed servers;

    /** @param written bytes that the servers' processes have written to disks so far; NaN where that is not known */
    CostsWindow(Observable servers, DoubleSupplier written) {
        this.servers = new Observed(servers).also(WRITTEN, written);
    }

    @Override
    public void opened() {
        servers.opened();
    }

    @Override
    public void closed() {
        servers.closed();
    }

    /** Returns what was used between the two. */
    Costs costs() {
        double seconds = servers.seconds();
        return new Costs(
                seconds,
                servers.busyCores(),
                (calls("set") + calls("delete")) / seconds,
                (calls("get") + calls("scan")) / seconds,
                servers.grown(WRITTEN) / seconds,
                servers.clientSeconds() / seconds);
    }

    /** Returns the calls of the metadata store of one kind; NaN if the servers count none of that kind. */
    private double calls(String kind) {
        return servers.increase("talos_metadata_call_seconds_count{call=\"" + kind + "\"}");
    }
}
