// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.List;

/**
 * Runs tasks on a worker.
 *
 * <p>Confined: one worker at a time for each key.
 *
 * @param <T> the tasks
 */
@FunctionalInterface
public interface BatchRunner<T> {
    /**
     * Runs tasks of one key and one priority, in the order of their submission. May block. If this throws, all tasks of
     * the batch that have not ended fail.
     */
    void run(List<T> batch);
}
