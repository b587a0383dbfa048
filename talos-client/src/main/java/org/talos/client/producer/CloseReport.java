// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

/**
 * The outcome of the messages that a producer still had when it was closed. Each of them has also failed by its future
 * and callback. Immutable.
 *
 * @param notSent messages that were queued when the time was over: they certainly were not stored
 * @param unknown messages that were in flight when the time was over: they may have been stored
 * @param unseen messages that failed before, since the last flush, and whose failure went unnoticed: they had no
 *     callback, and their futures have no waiting thread and no dependents
 */
public record CloseReport(int notSent, int unknown, long unseen) {
    /** Returns whether all messages were stored, as far as is known. */
    public boolean isClean() {
        return notSent == 0 && unknown == 0 && unseen == 0;
    }
}
