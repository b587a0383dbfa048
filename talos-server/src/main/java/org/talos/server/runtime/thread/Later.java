// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.thread;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;

/** Runs tasks elsewhere after a delay. Thread-safe. */
@FunctionalInterface
public interface Later {
    /**
     * Runs a task, which may block, once the delay has passed.
     *
     * @throws RejectedExecutionException the server stops
     */
    void run(Duration delay, Runnable task);
}
