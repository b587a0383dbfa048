// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import org.jspecify.annotations.Nullable;

/** A key with queued or running tasks, or with recent ones. Confined: its own lock, except for immutable fields. */
final class Pin<K, T extends Task<K>> {
    final K key;
    final int worker;

    @Nullable
    Lane<K, T> lanes; // those with tasks: nearly always one

    int waiting;
    boolean runs;
    boolean gone; // its lanes are never used again

    Pin(K key, int worker) {
        this.key = key;
        this.worker = worker;
    }

    boolean isIdle() {
        return waiting == 0 && !runs;
    }

    Lane<K, T> lane(int priority) {
        for (Lane<K, T> lane = lanes; lane != null; lane = lane.next) {
            if (lane.priority == priority) {
                return lane;
            }
        }
        lanes = new Lane<>(this, priority, lanes);
        return lanes;
    }

    /** The waiting tasks of a key with one priority. Confined: its pin's lock. */
    static final class Lane<K, T extends Task<K>> extends Chain<Entry<K, T>> {
        final Pin<K, T> pin;
        final @Nullable Lane<K, T> next; // of its pin
        final byte priority; // its place among them
        boolean queued; // is in a ready queue, or has just left it, whether it may run or not

        Lane(Pin<K, T> pin, int priority, @Nullable Lane<K, T> next) {
            this.pin = pin;
            this.priority = (byte) priority;
            this.next = next;
        }

        /** Marks it as out of its queue, if none of its tasks waits; returns whether it is. */
        boolean leaveIfEmpty() {
            synchronized (pin) {
                queued &= !isEmpty();
                return !queued;
            }
        }

        /**
         * Returns the submission time of its oldest task, or {@link Long#MAX_VALUE} if none of its tasks may run now.
         */
        long readySinceNanos() {
            synchronized (pin) {
                Entry<K, T> oldest = first();
                return pin.runs || oldest == null ? Long.MAX_VALUE : oldest.submittedNanos();
            }
        }
    }
}
