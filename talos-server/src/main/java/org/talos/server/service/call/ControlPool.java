// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import org.talos.server.dispatch.KeyAffinityExecutor;
import org.talos.server.dispatch.Priority;
import org.talos.server.partition.serving.PoolTask;

/** Runs calls that may block, one after another for each key. Thread-safe. */
public final class ControlPool {
    private final KeyAffinityExecutor<String, PoolTask<String>> executor;

    public ControlPool(KeyAffinityExecutor<String, PoolTask<String>> executor) {
        this.executor = executor;
    }

    /** How a batch of the executor runs. */
    public static void runBatch(List<PoolTask<String>> batch) {
        batch.forEach(PoolTask::run);
    }

    /** Runs work after all earlier work of the key. */
    public <T> CompletionStage<T> run(String key, long deadlineNanos, Callable<T> work) {
        return PoolTask.submit(executor, key, Priority.HIGH, deadlineNanos, work);
    }
}
