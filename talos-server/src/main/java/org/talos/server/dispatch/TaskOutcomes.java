// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies tasks that they will not run. An exception that a task throws is logged, so that the caller can continue
 * with its other tasks. Thread-safe.
 */
final class TaskOutcomes {
    private static final Logger LOG = LoggerFactory.getLogger(TaskOutcomes.class);

    private TaskOutcomes() {}

    static void expired(Task<?> task) {
        try {
            task.expired();
        } catch (RuntimeException | Error e) {
            notEnded(task, e);
        }
    }

    static void stopped(Task<?> task) {
        try {
            task.stopped();
        } catch (RuntimeException | Error e) {
            notEnded(task, e);
        }
    }

    private static void notEnded(Task<?> task, Throwable cause) {
        failed(task, cause);
        LOG.error("task failed key={}", task.key(), cause);
    }

    /** Notifies a task of a failure. This is the last resort: an exception that it throws is only logged. */
    static void failed(Task<?> task, Throwable cause) {
        try {
            task.failed(cause);
        } catch (RuntimeException | Error e) {
            LOG.error("task notification failed key={}", task.key(), e);
        }
    }
}
