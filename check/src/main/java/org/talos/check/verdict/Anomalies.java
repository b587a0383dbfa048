// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import java.util.ArrayList;
import java.util.List;
import org.talos.check.history.Operation;

/** Builds the lists of operations of an {@link Anomaly}. Immutable. */
final class Anomalies {
    private Anomalies() {}

    static List<Operation> join(List<Operation> some, Operation more) {
        List<Operation> all = new ArrayList<>(some);
        all.add(more);
        return all;
    }

    static List<Operation> join(List<Operation> some, List<Operation> more) {
        List<Operation> all = new ArrayList<>(some);
        all.addAll(more);
        return all;
    }
}
