// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile;

import java.util.concurrent.atomic.LongAdder;

/** Counts what became of one kind of attack. Thread-safe. */
final class Tally {
    private final LongAdder begun = new LongAdder();
    private final LongAdder done = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder cut = new LongAdder();
    private final LongAdder unconnected = new LongAdder();
    private final LongAdder unanswered = new LongAdder();
    private final LongAdder receivedBytes = new LongAdder();
    private final LongAdder foreign = new LongAdder();
    private volatile String firstForeign = "";

    /**
     * The counts. Immutable.
     *
     * @param begun requests
     * @param done of them, with a status of 2xx
     * @param refused of them, with another status
     * @param cut connections that the server ended
     * @param unconnected attempts to connect that failed
     * @param unanswered requests that were whole and had no answer for longer than any may take
     * @param receivedBytes compared with what the attacker may receive
     * @param foreign connections that received anything else
     * @param firstForeign what one of them received, or nothing
     */
    record Counts(
            long begun,
            long done,
            long refused,
            long cut,
            long unconnected,
            long unanswered,
            long receivedBytes,
            long foreign,
            String firstForeign) {}

    void begun() {
        begun.increment();
    }

    void answered(int status) {
        (status / 100 == 2 ? done : refused).increment();
    }

    void cut() {
        cut.increment();
    }

    void unconnected() {
        unconnected.increment();
    }

    void unanswered() {
        unanswered.increment();
    }

    void received(long bytes) {
        receivedBytes.add(bytes);
    }

    synchronized void foreign(String what) {
        foreign.increment();
        if (firstForeign.isEmpty()) {
            firstForeign = what;
        }
    }

    Counts counts() {
        return new Counts(
                begun.sum(),
                done.sum(),
                refused.sum(),
                cut.sum(),
                unconnected.sum(),
                unanswered.sum(),
                receivedBytes.sum(),
                foreign.sum(),
                firstForeign);
    }
}
