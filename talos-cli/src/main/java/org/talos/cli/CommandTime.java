// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import java.time.InstantSource;
import java.time.ZoneId;
import java.util.function.LongSupplier;

/** The machine's clocks and its time zone; nothing else of the commands asks for them. Immutable. */
public final class CommandTime {
    private CommandTime() {}

    /** Returns the machine's wall clock. */
    public static InstantSource wallClock() {
        return InstantSource.system();
    }

    /** Returns the machine's monotonic clock, in nanoseconds. */
    public static LongSupplier nanos() {
        return System::nanoTime;
    }

    /** Returns the zone in which people at this terminal write and read times. */
    public static ZoneId zone() {
        return ZoneId.systemDefault();
    }
}
