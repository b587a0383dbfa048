// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

/**
 * A task in its queue, or in a batch: the first one of a batch stands for all, which are linked. Immutable, except for
 * its links.
 */
final class Entry<K, T extends Task<K>> extends Chain.Link<Entry<K, T>> {
    private final T task;
    private final Pin.Lane<K, T> lane;
    private final long submittedNanos;

    Entry(T task, Pin.Lane<K, T> lane, long submittedNanos) {
        this.task = task;
        this.lane = lane;
        this.submittedNanos = submittedNanos;
    }

    T task() {
        return task;
    }

    Pin.Lane<K, T> lane() {
        return lane;
    }

    /** Returns the worker that it is queued for; others with the same queue may run it too. */
    int worker() {
        return lane.pin.worker;
    }

    long submittedNanos() {
        return submittedNanos;
    }
}
