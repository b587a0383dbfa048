// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import java.time.InstantSource;

/** The machine's clock: the one place where the client takes it. Immutable. */
final class ClientTime {
    private ClientTime() {}

    static InstantSource wallClock() {
        return InstantSource.system();
    }
}
