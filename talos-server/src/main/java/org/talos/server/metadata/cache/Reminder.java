// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.cache;

import java.time.Duration;
import java.util.Set;

/**
 * When something that is wrong for a while is said: as soon as it is new, and again at intervals.
 *
 * <p>Confined: to its owner's lock.
 */
final class Reminder {
    private final long intervalNanos;
    private Set<String> said = Set.of();
    private long saidNanos;

    Reminder(Duration interval) {
        intervalNanos = interval.toNanos();
    }

    /** Returns whether to report a problem now, and counts it as reported. */
    boolean isDue(Set<String> wrong, long nowNanos) {
        boolean due = !said.containsAll(wrong) || (!wrong.isEmpty() && nowNanos - saidNanos >= intervalNanos);
        if (due) {
            said = Set.copyOf(wrong);
            saidNanos = nowNanos;
        }
        return due;
    }

    /** Records that nothing is wrong any more; returns whether something was. */
    boolean isOver() {
        boolean was = !said.isEmpty();
        said = Set.of();
        return was;
    }
}
