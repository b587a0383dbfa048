// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.fairness;

import java.util.concurrent.Executor;

/**
 * One user's turns on the thread that has a connection of that user. All connections of the user on that thread share
 * the turns.
 *
 * <p>Thread-safe.
 */
public interface UserTurn extends Executor {
    /** The turn of a thread that serves no other connection: it never ends, and tasks run at once. */
    UserTurn ALONE = new UserTurn() {
        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public boolean isUnderWay() {
            return true;
        }

        @Override
        public boolean tryContinue() {
            return true;
        }

        @Override
        public void count(int puts) {
            // a turn without an end counts nothing
        }
    };

    /** Runs a task in a turn of the user, behind the user's other tasks. The task counts as a put. */
    @Override
    void execute(Runnable task);

    /** Returns whether the caller runs in a turn of this user. */
    boolean isUnderWay();

    /**
     * Counts one more put, and returns whether it belongs to the turn that the caller runs in. If not, the turn is
     * over, or the caller runs in none: hand the put to {@link #execute}.
     */
    boolean tryContinue();

    /** Counts puts that were made together, if the caller runs in a turn of this user. */
    void count(int puts);
}
