// SPDX-License-Identifier: Apache-2.0
package org.talos.client.producer;

/**
 * The outcome of a producer's messages that nobody has waited for when it was closed. Each of them has failed by its
 * future and callback too. Immutable.
 *
 * @param notSent messages that were queued when the time was over: they certainly were not stored
 * @param unknown messages that were in flight when the time was over: they may have been stored
 * @param unseen messages that failed before, since the last flush, and whose failure nobody looked at: they had no
 *     callback, and nobody waits for their future or has attached something to it
 */
public record CloseReport(int notSent, int unknown, long unseen) {
    /** Returns whether all messages were stored, as far as nobody knows better. */
    public boolean isClean() {
        return notSent == 0 && unknown == 0 && unseen == 0;
    }
}
