// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import java.io.IOException;
import java.time.Duration;

/**
 * A fault: how it begins and how it ends. Immutable.
 *
 * @param name the kind of the fault and its target
 * @param hold time between begin and end
 */
record Fault(String name, Duration hold, Company company, Step begin, Step end) {
    /** An action on processes or networks. */
    @FunctionalInterface
    interface Step {
        void run() throws IOException, InterruptedException;
    }

    /** Which faults may overlap with this one. Immutable. */
    enum Company {
        /** None: its begin or end needs everything else to work. */
        NONE,
        /** Faults that begin after it and end before it, as its end starts something that needs everything else. */
        WITHIN,
        /** All. */
        ANY
    }

    /** Combines two faults: the other begins later and ends earlier. */
    Fault around(Fault inner) {
        return new Fault(
                name + ", and " + inner.name,
                hold.compareTo(inner.hold) > 0 ? hold : inner.hold,
                Company.NONE,
                () -> {
                    begin.run();
                    inner.begin.run();
                },
                () -> {
                    inner.end.run();
                    end.run();
                });
    }
}
