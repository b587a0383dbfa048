// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import java.io.IOException;
import java.time.Duration;

/**
 * Something that goes wrong, and how it is over. Immutable.
 *
 * @param name which, and to whom
 * @param hold between begin and end
 */
record Fault(String name, Duration hold, Company company, Step begin, Step end) {
    /** What is done to processes and networks. */
    @FunctionalInterface
    interface Step {
        void run() throws IOException, InterruptedException;
    }

    /** What else may go wrong at the same time. Immutable. */
    enum Company {
        /** Nothing: its beginning or its end needs all else to work. */
        NONE,
        /** What begins after it and ends before it, as its end starts something that needs all else. */
        WITHIN,
        /** Anything. */
        ANY
    }

    /** Both at the same time: the other begins later and ends earlier. */
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
