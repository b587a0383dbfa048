// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.check.nemesis;

import java.io.IOException;
import java.time.Duration;

/**
 * Something that goes wrong, and how it is over. Immutable.
 *
 * @param name which, and to whom
 * @param hold between begin and end
 */
record Fault(String name, Duration hold, Step begin, Step end) {
    /** What is done to processes and networks. */
    @FunctionalInterface
    interface Step {
        void run() throws IOException, InterruptedException;
    }
}
