// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.time;

import java.time.InstantSource;

/** The machine's clocks: the one place that reads them. Immutable. */
public final class SystemTime {
    private SystemTime() {}

    /** Returns the machine's monotonic clock. */
    public static Ticker ticker() {
        return System::nanoTime;
    }

    /** Returns the machine's wall clock. */
    public static InstantSource wallClock() {
        return InstantSource.system();
    }
}
