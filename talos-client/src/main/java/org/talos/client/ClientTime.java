// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import java.time.InstantSource;
import java.util.function.LongSupplier;

/** The machine's clocks; nothing else in the client reads them. Immutable. */
final class ClientTime {
    private ClientTime() {}

    static InstantSource wallClock() {
        return InstantSource.system();
    }

    static LongSupplier nanos() {
        return System::nanoTime;
    }
}
