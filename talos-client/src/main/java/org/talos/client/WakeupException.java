// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

/**
 * The end of a poll by another thread, which has called {@code wakeup}. It is not a failure: the next poll returns the
 * messages that this one would have returned.
 *
 * <p>Immutable.
 */
public final class WakeupException extends RuntimeException {
    /** Creates an exception with a fixed message. */
    public WakeupException() {
        super("the poll was woken up");
    }
}
