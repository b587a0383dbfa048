// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.replay;

import java.util.Locale;

/** The cases that are compared. */
enum ReplayCase {
    /** Puts and gets at the tail, each as soon as the last was answered: half of its puts are what follows. */
    PEAK,
    /** Puts at a pace, and consumers that wait for them. */
    TAIL,
    /** The tail at the same pace, while another topic is read from its beginning. */
    BOTH,
    /** Only the reading from the beginning. */
    REPLAY,
    /** The same files, read without a server. */
    BARE;

    boolean hasTail() {
        return this == PEAK || this == TAIL || this == BOTH;
    }

    boolean hasReplay() {
        return this == BOTH || this == REPLAY;
    }

    /** As it is written in tables. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
