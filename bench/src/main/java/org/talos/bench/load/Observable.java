// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.io.IOException;

/** A server whose metrics and processor time can be sampled under load. Thread-safe. */
public interface Observable {
    /** Its current metrics. */
    ServerMetrics metrics() throws IOException;

    /** Processor time that it has used, seconds; NaN if that is not known. */
    double cpuSeconds();
}
