// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import java.util.List;
import org.talos.check.history.Operation;

/**
 * A violation of a promise, found in a history. Immutable.
 *
 * @param what a sentence
 * @param operations that prove it
 */
public record Anomaly(String what, List<Operation> operations) {
    public Anomaly {
        operations = List.copyOf(operations);
    }
}
