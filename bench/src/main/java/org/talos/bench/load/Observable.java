// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.io.IOException;

/** A server that can be looked at while it is under load. Thread-safe. */
public interface Observable {
    /** What it says of itself now. */
    ServerMetrics metrics() throws IOException;

    /** Processor time that it has used, seconds; NaN if that is not to be seen from here. */
    double cpuSeconds();
}
