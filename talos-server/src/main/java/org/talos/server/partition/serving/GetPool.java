// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import org.talos.server.dispatch.Priority;
import org.talos.server.dispatch.TaskExecutor;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;
import org.talos.server.storage.LogId;

/** Runs reads that memory cannot answer. Thread-safe. */
public final class GetPool {
    private final TaskExecutor<PoolTask<LogId>> executor;
    private final MemoryBudget budget;

    /**
     * Creates the pool of an executor that runs {@link #runBatch}.
     *
     * @param budget of the work's memory
     */
    public GetPool(TaskExecutor<PoolTask<LogId>> executor, MemoryBudget budget) {
        this.executor = executor;
        this.budget = budget;
    }

    /** Work that takes memory. */
    @FunctionalInterface
    public interface Work<T> {
        /** Runs the work. Its memory is released after it and the stages that depend on it. */
        T in(RequestMemory memory) throws Exception;
    }

    /** How a batch of the executor runs. */
    public static void runBatch(List<PoolTask<LogId>> batch) {
        batch.forEach(PoolTask::run);
    }

    /**
     * Runs work under the partition's key, in memory of a user.
     *
     * @param user who causes the work
     */
    public <T> CompletionStage<T> run(LogId id, Priority priority, long deadlineNanos, String user, Work<T> work) {
        RequestMemory memory = RequestMemory.ofWork(budget.of(user));
        return PoolTask.submit(executor, id, priority, deadlineNanos, () -> work.in(memory), memory::close);
    }

    /** Runs work under the partition's key. */
    public <T> CompletionStage<T> run(LogId id, Priority priority, long deadlineNanos, Callable<T> work) {
        return PoolTask.submit(executor, id, priority, deadlineNanos, work);
    }
}
