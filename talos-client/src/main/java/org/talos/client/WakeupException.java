// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

/**
 * Thrown by a poll that another thread has ended by {@code wakeup}. Nothing has failed: the next poll returns what this
 * one would have.
 *
 * <p>Immutable.
 */
public final class WakeupException extends RuntimeException {
    /** An exception with a fixed message. */
    public WakeupException() {
        super("the poll was woken up");
    }
}
