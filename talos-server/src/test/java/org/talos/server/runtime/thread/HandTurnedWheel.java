// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.thread;

import org.talos.server.runtime.time.Ticker;

/** Timers that a simulation turns. Immutable, but for the wheel. */
public record HandTurnedWheel(TimerWheel wheel) {
    /** A wheel of this time. */
    public static HandTurnedWheel of(Ticker ticker) {
        return new HandTurnedWheel(TimerWheel.byHand(ticker));
    }

    /** Runs what is due. */
    public void turn() {
        wheel.advance();
    }
}
