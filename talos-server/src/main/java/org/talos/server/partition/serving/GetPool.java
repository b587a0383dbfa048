// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import org.talos.server.dispatch.KeyAffinityExecutor;
import org.talos.server.dispatch.Priority;
import org.talos.server.storage.LogId;

/** Runs reads that memory cannot answer. Thread-safe. */
public final class GetPool {
    private final KeyAffinityExecutor<LogId, PoolTask<LogId>> executor;

    public GetPool(KeyAffinityExecutor<LogId, PoolTask<LogId>> executor) {
        this.executor = executor;
    }

    /** How a batch of the executor runs. */
    public static void runBatch(List<PoolTask<LogId>> batch) {
        batch.forEach(PoolTask::run);
    }

    /**
     * Runs work under the partition's key.
     *
     * @param after runs once, after the work and the stages that depend on it, or if the work is never run
     */
    public <T> CompletionStage<T> run(
            LogId id, Priority priority, long deadlineNanos, Callable<T> work, Runnable after) {
        return PoolTask.submit(executor, id, priority, deadlineNanos, work, after);
    }

    /** Runs work under the partition's key. */
    public <T> CompletionStage<T> run(LogId id, Priority priority, long deadlineNanos, Callable<T> work) {
        return PoolTask.submit(executor, id, priority, deadlineNanos, work);
    }
}
