// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends tasks that are not run, whatever they throw: who ends them has others to end. Thread-safe. */
final class Endings {
    private static final Logger LOG = LoggerFactory.getLogger(Endings.class);

    private Endings() {}

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

    /** The last ending that is left: one that throws as well is only logged. */
    static void failed(Task<?> task, Throwable cause) {
        try {
            task.failed(cause);
        } catch (RuntimeException | Error e) {
            LOG.error("task can't be ended key={}", task.key(), e);
        }
    }
}
