// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.talos.server.dispatch.KeyAffinityExecutor;
import org.talos.server.dispatch.Priority;
import org.talos.server.dispatch.Submission;
import org.talos.server.dispatch.Task;
import org.talos.server.storage.LogId;

/** Runs what must ask storage for messages. Thread-safe. */
final class GetPool {
    private final KeyAffinityExecutor<LogId, GetTask> executor;

    GetPool(KeyAffinityExecutor<LogId, GetTask> executor) {
        this.executor = executor;
    }

    static void runBatch(List<GetTask> batch) {
        batch.forEach(GetTask::run);
    }

    CompletionStage<CallResult> run(LogId id, Priority priority, long deadlineNanos, Supplier<CallResult> work) {
        GetTask task = new GetTask(id, priority, deadlineNanos, work);
        Submission submission = executor.submit(task);
        if (submission != Submission.ACCEPTED) {
            task.result.completeExceptionally(ControlPool.refused(submission));
        }
        return task.result;
    }

    /** A read in the pool. Thread-safe: ends once. */
    static final class GetTask implements Task<LogId> {
        private final LogId id;
        private final Priority priority;
        private final long deadlineNanos;
        private final Supplier<CallResult> work;
        private final CompletableFuture<CallResult> result = new CompletableFuture<>();

        GetTask(LogId id, Priority priority, long deadlineNanos, Supplier<CallResult> work) {
            this.id = id;
            this.priority = priority;
            this.deadlineNanos = deadlineNanos;
            this.work = work;
        }

        private void run() {
            try {
                result.complete(work.get());
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        }

        @Override
        public LogId key() {
            return id;
        }

        @Override
        public Priority priority() {
            return priority;
        }

        @Override
        public long deadlineNanos() {
            return deadlineNanos;
        }

        @Override
        public void expired() {
            result.completeExceptionally(ControlPool.expired());
        }

        @Override
        public void stopped() {
            result.completeExceptionally(ControlPool.stopped());
        }
    }
}
