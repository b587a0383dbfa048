// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.client;

/** The presence of a client that waits for the answer to its request. Thread-safe. */
public interface Presence {
    /** The presence of a client whose departure cannot be noticed. */
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
     * Runs a task once the client has left, or at once if it already has. There is one such task at a time: another one
     * replaces it.
     *
     * @param task must not block
     * @return withdraws the task, unless another one has replaced it
     */
    Runnable onGone(Runnable task);

    /** Returns whether the client is known to have left. Only {@link #onGone} makes the server notice a departure. */
    boolean isGone();
}
