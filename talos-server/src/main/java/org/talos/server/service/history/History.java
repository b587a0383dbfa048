// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.history;

import java.time.Duration;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Figures over time. Immutable; the arrays belong to the caller.
 *
 * @param step between two points
 * @param endMillis of the last point, ms since 1970
 * @param figures by name, oldest point first, all of one length; NaN where a figure was unknown
 */
public record History(Duration step, long endMillis, SortedMap<String, double[]> figures) {
    public History {
        figures = Collections.unmodifiableSortedMap(new TreeMap<>(figures));
    }
}
