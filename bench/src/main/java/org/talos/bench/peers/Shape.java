// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

import java.util.Locale;

/** The loads, of threads that wait. */
enum Shape {
    /** A putting and a getting thread for each partition. */
    MANY,
    /** One putting thread. */
    ONE,
    /** Some putting threads, small messages. */
    SIXTEEN,
    /** As many threads as {@link #MANY}, whose puts are due at fixed times. */
    PACED;

    private static final int SOME = 16;
    private static final int SMALL = 1_024;

    /** As it is written in settings and tables. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Threads that put, each to a partition of its own. */
    int putters(PeersSettings settings) {
        return switch (this) {
            case MANY, PACED -> settings.partitions();
            case ONE -> 1;
            case SIXTEEN -> Math.min(SOME, settings.partitions());
        };
    }

    /** Threads that get, each from a partition that is put to. */
    int getters(PeersSettings settings) {
        return hasGetters() ? settings.partitions() : 0;
    }

    /** Returns whether the messages that are put are got, too. */
    boolean hasGetters() {
        return this == MANY || this == PACED;
    }

    /** Bytes of a message. */
    int size(PeersSettings settings) {
        return this == SIXTEEN ? Math.min(SMALL, settings.size()) : settings.size();
    }

    /** For people. */
    String described(PeersSettings settings) {
        String gets = hasGetters() ? " + " + getters(settings) + " getting" : "";
        String pace = settings.rate()
                .map(rate -> rate + " a second")
                .orElse("half of the slowest one's rate of " + MANY.label());
        String due = this == PACED ? ", puts due at " + pace : "";
        return putters(settings) + " putting" + gets + ", messages of " + size(settings) + " bytes" + due;
    }
}
