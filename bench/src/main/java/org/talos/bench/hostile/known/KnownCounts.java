// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile.known;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Counts one kind of requests of a peaceful user. Thread-safe. */
public final class KnownCounts {
    private static final int MOST_SHOWN = 5;

    private final LongAdder begun = new LongAdder();
    private final LongAdder done = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder wrong = new LongAdder();
    private final LongAdder unanswered = new LongAdder();
    private final List<String> failures = new ArrayList<>();

    void begun() {
        begun.increment();
    }

    void done() {
        done.increment();
    }

    void refused(String how) {
        refused.increment();
        note(how);
    }

    void wrong(String how) {
        wrong.increment();
        note(how);
    }

    void unanswered(String how) {
        unanswered.increment();
        note(how);
    }

    private synchronized void note(String how) {
        if (failures.size() < MOST_SHOWN && !failures.contains(how)) {
            failures.add(how);
        }
    }

    /** Returns the requests that were sent. */
    public long allBegun() {
        return begun.sum();
    }

    /** Returns the requests whose answers held what they had to hold. */
    public long allDone() {
        return done.sum();
    }

    /** Returns the requests that the server refused. */
    public long allRefused() {
        return refused.sum();
    }

    /** Returns the requests whose answers held other bytes. */
    public long allWrong() {
        return wrong.sum();
    }

    /** Returns the requests whose answers never came or broke off. */
    public long allUnanswered() {
        return unanswered.sum();
    }

    /** Returns the first failures, for a person. */
    public synchronized List<String> failures() {
        return List.copyOf(failures);
    }
}
