// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import org.talos.server.dispatch.KeyAffinityExecutor;
import org.talos.server.dispatch.Priority;
import org.talos.server.storage.LogId;

/** Runs what must ask storage for messages. Thread-safe. */
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
     * The same.
     *
     * @param after runs once when all that follows at once from the end has run too, or if the work is never run
     */
    public <T> CompletionStage<T> run(
            LogId id, Priority priority, long deadlineNanos, Callable<T> work, Runnable after) {
        return PoolTask.submit(executor, id, priority, deadlineNanos, work, after);
    }

    public <T> CompletionStage<T> run(LogId id, Priority priority, long deadlineNanos, Callable<T> work) {
        return PoolTask.submit(executor, id, priority, deadlineNanos, work);
    }
}
