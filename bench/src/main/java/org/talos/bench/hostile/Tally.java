// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.util.concurrent.atomic.LongAdder;

/** Counts what became of one kind of attack. Thread-safe. */
final class Tally {
    private final LongAdder begun = new LongAdder();
    private final LongAdder done = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder cut = new LongAdder();
    private final LongAdder unanswered = new LongAdder();

    /**
     * The counts. Immutable.
     *
     * @param begun requests
     * @param done of them, with a status of 2xx
     * @param refused of them, with another status
     * @param cut connections that the server ended
     * @param unanswered requests that were whole and had no answer for longer than any may take
     */
    record Counts(long begun, long done, long refused, long cut, long unanswered) {}

    void begun() {
        begun.increment();
    }

    void answered(int status) {
        (status / 100 == 2 ? done : refused).increment();
    }

    void cut() {
        cut.increment();
    }

    void unanswered() {
        unanswered.increment();
    }

    Counts counts() {
        return new Counts(begun.sum(), done.sum(), refused.sum(), cut.sum(), unanswered.sum());
    }
}
