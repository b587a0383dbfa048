// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.call;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.config.PoolConfig;
import org.talos.server.dispatch.Priority;
import org.talos.server.dispatch.TaskExecutor;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.metadata.MetadataException;
import org.talos.server.partition.serving.PoolTask;
import org.talos.thrift.ErrorCode;

/**
 * Runs calls that may block, those of one user under one key one after another. A user may have as many calls in the
 * pool as places are free otherwise, and waits only behind its own calls of the same key. So a flood by one user leaves
 * room for others.
 *
 * <p>Thread-safe.
 */
public final class ControlPool {
    private final TaskExecutor<PoolTask<String>> executor;
    private final MemoryBudget places; // of calls in place of bytes

    /** @param config of the executor */
    public ControlPool(TaskExecutor<PoolTask<String>> executor, PoolConfig config) {
        this.executor = executor;
        places = new MemoryBudget((long) config.maxWaiting() + config.workers().most());
    }

    /** How a batch of the executor runs. */
    public static void runBatch(List<PoolTask<String>> batch) {
        batch.forEach(PoolTask::run);
    }

    /**
     * Runs work after all earlier work of the user under the key.
     *
     * @param user on whose behalf it is
     * @return completes with EXCESSIVE_PENDING_MESSAGE if too many wait, in total or of this user
     */
    public <T> CompletionStage<T> run(String user, String key, long deadlineNanos, Callable<T> work) {
        MemoryBudget.Share share = places.of(user);
        if (!share.tryReserve(1)) {
            executor.countRefused();
            return CompletableFuture.failedFuture(
                    TalosException.refused(ErrorCode.EXCESSIVE_PENDING_MESSAGE, "too many requests of yours wait"));
        }
        return PoolTask.submit(executor, user + "/" + key, Priority.HIGH, deadlineNanos, work, () -> share.release(1));
    }

    /** Work of a call. */
    @FunctionalInterface
    public interface Work<T> {
        T run(Caller caller) throws MetadataException;
    }

    /** Work of a call without a result. */
    @FunctionalInterface
    public interface Change {
        void run(Caller caller) throws MetadataException;
    }

    /** Runs work of a call after all earlier work of its user under the key. */
    public <T> CompletionStage<T> run(CallContext context, String key, Work<T> work) {
        Caller caller = Caller.of(context);
        return run(context.principal().userId(), key, context.deadlineNanos(), () -> work.run(caller));
    }

    /** Runs work of a call without a result likewise; completes with null. */
    public CompletionStage<@Nullable Void> change(CallContext context, String key, Change change) {
        return run(context, key, caller -> {
                    change.run(caller);
                    return true;
                })
                .thenApply(done -> null);
    }
}
