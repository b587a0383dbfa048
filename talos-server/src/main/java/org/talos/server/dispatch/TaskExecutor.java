// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

/**
 * Runs tasks, those of one key one after another. The seam to the workers: a simulation runs tasks on its own.
 *
 * <p>Thread-safe.
 *
 * @param <T> the tasks
 */
public interface TaskExecutor<T extends Task<?>> {
    /** Queues a task, or refuses it at once. Never blocks for longer than it takes to queue. */
    Submission submit(T task);

    /** Counts a task that its submitter has refused itself. */
    void countRefused();
}
