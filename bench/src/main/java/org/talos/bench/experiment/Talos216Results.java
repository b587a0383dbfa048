// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import org.talos.bench.report.Measure;
import org.talos.bench.report.Medians;

/** The measures of all cases in all rounds. Confined: the main thread. */
final class Talos216Results {
    private final Map<Case, List<Map<String, Measure>>> rounds = new LinkedHashMap<>();

    /** One case of the experiment. Immutable. */
    record Case(Storage store, Version version, int clients) {
        private static final int THREADS = 120;

        /** As the report names them: by the putting threads of all clients. */
        String label() {
            return store.label() + " " + version.label() + "-" + THREADS * clients;
        }
    }

    /** @param round by operation */
    void add(Case what, Map<String, Measure> round) {
        rounds.computeIfAbsent(what, none -> new ArrayList<>()).add(round);
    }

    /** The puts of a case, a measure a round; none if it was not measured. */
    List<Measure> puts(Case what) {
        return rounds.getOrDefault(what, List.of()).stream()
                .map(round -> Objects.requireNonNull(round.get("put")))
                .toList();
    }

    /** The median over the rounds; NaN if there are none. */
    double median(Case what, ToDoubleFunction<Measure> of) {
        return Medians.of(puts(what).stream().mapToDouble(of));
    }

    static double figure(Measure measure, String name) {
        return measure.figures().getOrDefault(name, Double.NaN);
    }
}
