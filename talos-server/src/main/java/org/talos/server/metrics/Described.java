// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.talos.server.metrics.histogram.HdrReservoir;

/**
 * A registered metric with its description. Immutable.
 *
 * @param name with its base unit
 * @param labels such as {@code pool="put"}, or empty
 * @param unit of a histogram
 * @param reservoir of a histogram, else null
 * @param value of a counter or gauge, else null
 */
record Described(
        String name,
        String labels,
        String help,
        Kind kind,
        Unit unit,
        @Nullable HdrReservoir reservoir,
        @Nullable DoubleSupplier value) {
    /** The metric's type in Prometheus. */
    enum Kind {
        COUNTER,
        GAUGE,
        HISTOGRAM
    }

    /** Name and labels, which identify the metric. */
    String key() {
        return labels.isEmpty() ? name : name + "{" + labels + "}";
    }
}
