// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.time.InstantSource;
import java.util.function.LongSupplier;

/** The machine's clocks; nothing else of the commands reads them. Immutable. */
public final class CommandTime {
    private CommandTime() {}

    /** The machine's wall clock. */
    public static InstantSource wallClock() {
        return InstantSource.system();
    }

    /** The machine's monotonic clock, in nanoseconds. */
    public static LongSupplier nanos() {
        return System::nanoTime;
    }
}
