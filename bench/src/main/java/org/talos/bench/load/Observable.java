// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.io.IOException;
import java.util.function.DoubleSupplier;

/** A server whose metrics and processor time can be sampled under load. Thread-safe. */
@FunctionalInterface
public interface Observable {
    /** Its current metrics; none of a process of which only the processor time is known. */
    default ServerMetrics metrics() throws IOException {
        return ServerMetrics.NONE;
    }

    /** Processor time that it has used, seconds; NaN if that is not known. */
    double cpuSeconds();

    /** A process of which only the processor time is known. */
    static Observable of(DoubleSupplier cpuSeconds) {
        return cpuSeconds::getAsDouble;
    }
}
