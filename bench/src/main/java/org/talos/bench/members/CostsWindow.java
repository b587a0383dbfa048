// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.members;

import java.util.function.DoubleSupplier;
import org.talos.bench.load.Observable;
import org.talos.bench.load.Observed;

/**
 * Measures what servers use over the measured time.
 *
 * <p>Confined: the loop's thread, and after the run the thread that started it.
 */
final class CostsWindow extends Observed {
    private static final String WRITTEN = "written";

    /** @param written bytes that the servers' processes have written to disks so far; NaN where that is not known */
    CostsWindow(Observable servers, DoubleSupplier written) {
        super(servers);
        also(WRITTEN, written);
    }

    /** Returns what was used between the two. */
    Costs costs() {
        double seconds = seconds();
        return new Costs(
                seconds,
                busyCores(),
                (calls("set") + calls("delete")) / seconds,
                (calls("get") + calls("scan")) / seconds,
                grown(WRITTEN) / seconds,
                clientSeconds() / seconds);
    }

    /** Returns the calls of the metadata store of one kind; NaN if the servers count none of that kind. */
    private double calls(String kind) {
        return increase("talos_metadata_call_seconds_count{call=\"" + kind + "\"}");
    }
}
