// SPDX-License-Identifier: Apache-2.0
package org.talos.check.workload;

import java.util.List;
import org.talos.check.history.Entry;
import org.talos.check.history.Outcome;

/**
 * The answer to a client's request. Immutable.
 *
 * @param entries what was stored or read, as far as the answer says
 * @param note the error
 */
record Answer(Outcome outcome, List<Entry> entries, String note) {
    Answer {
        entries = List.copyOf(entries);
    }

    static Answer ok(List<Entry> entries) {
        return new Answer(Outcome.OK, entries, "");
    }

    boolean isOk() {
        return outcome == Outcome.OK;
    }
}
