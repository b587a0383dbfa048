// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.client;

/** Presence of a client that waits for the answer to its request. Thread-safe. */
public interface Presence {
    /** The presence of a client that is not seen to leave. */
    Presence UNSEEN = new Presence() {
        @Override
        public Runnable onGone(Runnable task) {
            return () -> {};
        }

        @Override
        public boolean isGone() {
            return false;
        }
    };

    /**
     * Runs a task once the client has left, at once if it has. There is one such task at a time: a further one replaces
     * it.
     *
     * @param task must not block
     * @return takes the task back, if it is still that one
     */
    Runnable onGone(Runnable task);

    /** Returns whether he has left, as far as {@link #onGone} has had it looked at. */
    boolean isGone();
}
