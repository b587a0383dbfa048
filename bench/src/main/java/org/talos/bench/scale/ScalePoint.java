// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.scale;

import java.util.Optional;
import org.talos.bench.report.Measure;

/**
 * One operation at one point of a curve in one round. Immutable, but for the histogram.
 *
 * @param measure its figures hold all that may explain a bend
 * @param failure what went wrong first
 */
record ScalePoint(Curve curve, long point, Measure measure, Optional<String> failure) {
    static final String PUT = "put";
    static final String GET = "get";
    static final String RATE = "a second";
    static final String MEGABYTES = "MB/s";

    /** The value of a figure; NaN if it was not measured. */
    double value(String name) {
        return name.equals(RATE) ? measure.perSecond() : measure.figures().getOrDefault(name, Double.NaN);
    }
}
