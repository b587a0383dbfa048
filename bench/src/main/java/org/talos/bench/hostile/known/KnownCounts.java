// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hostile.known;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Counts one kind of requests of a peaceful user. Thread-safe. */
public final class KnownCounts {
    private static final int MOST_SHOWN = 5;

    private final Map<Count, Long> counts = new ConcurrentHashMap<>();
    private final List<String> failures = new ArrayList<>();

    /** The counts of requests, in the order of tables. */
    public enum Count {
        /** Requests that were sent. */
        REQUESTS,
        /** Requests whose answers held what they had to hold. */
        DONE,
        /** Requests that the server refused. */
        REFUSED,
        /** Requests whose answers held other bytes. */
        WRONG,
        /** Requests whose answers never came or broke off. */
        UNANSWERED
    }

    void add(Count count) {
        counts.merge(count, 1L, Long::sum);
    }

    void add(Count count, String how) {
        add(count);
        synchronized (this) {
            if (failures.size() < MOST_SHOWN && !failures.contains(how)) {
                failures.add(how);
            }
        }
    }

    /** Returns a count. */
    public long all(Count count) {
        return counts.getOrDefault(count, 0L);
    }

    /** Returns the first failures, for a person. */
    public synchronized List<String> failures() {
        return List.copyOf(failures);
    }
}
