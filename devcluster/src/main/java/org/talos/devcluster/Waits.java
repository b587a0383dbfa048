// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import java.io.IOException;
import java.time.Duration;
import java.util.function.Supplier;

/** Waits for conditions in other processes by polling. Immutable. */
final class Waits {
    private static final long POLL_MILLIS = 50;

    private Waits() {}

    /** A condition to poll. */
    interface Condition {
        boolean holds() throws IOException, InterruptedException;
    }

    /**
     * Returns once the condition holds.
     *
     * @param missing says, when the time is over, what did not come true
     * @throws IOException the time is over, or the condition failed
     */
    static void until(Duration atMost, Supplier<String> missing, Condition condition)
            throws IOException, InterruptedException {
        long begin = System.nanoTime();
        while (!condition.holds()) {
            if (System.nanoTime() - begin > atMost.toNanos()) {
                throw new IOException(missing.get() + " (waited " + atMost.toSeconds() + " s)");
            }
            Thread.sleep(POLL_MILLIS);
        }
    }
}
