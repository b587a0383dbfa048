// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import org.talos.bench.engine.Results;
import org.talos.bench.engine.Results.Figure;
import org.talos.bench.report.Measure;

/** One case of the experiment. Immutable. */
record Talos216Case(Storage store, Version version, int clients) {
    static final Figure QPS = Results.figure("put", Measure::perSecond);
    static final Figure MEAN = Results.figure("put", Measure::meanMillis);
    private static final int THREADS = 120;

    /** As the report names them: by the putting threads of all clients. */
    String label() {
        return store.label() + " " + version.label() + "-" + THREADS * clients;
    }

    static Figure millisAt(double percentile) {
        return Results.figure("put", puts -> puts.millisAt(percentile));
    }

    /** Another figure of the puts, by its name. */
    static Figure named(String name) {
        return Results.figure("put", puts -> puts.figure(name));
    }
}
