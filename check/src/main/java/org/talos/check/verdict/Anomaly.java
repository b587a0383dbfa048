// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import java.util.List;
import org.talos.check.history.Operation;

/**
 * Something that must not be. Immutable.
 *
 * @param what a sentence
 * @param operations by which one sees it
 */
public record Anomaly(String what, List<Operation> operations) {
    public Anomaly {
        operations = List.copyOf(operations);
    }
}
