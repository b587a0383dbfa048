// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.talos.common.error.TalosException;
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

    <T> CompletionStage<T> run(LogId id, Priority priority, long deadlineNanos, Supplier<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Runnable read = () -> {
            try {
                result.complete(work.get());
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        };
        Submission submission =
                executor.submit(new GetTask(id, priority, deadlineNanos, read, result::completeExceptionally));
        if (submission != Submission.ACCEPTED) {
            result.completeExceptionally(ControlPool.refused(submission));
        }
        return result;
    }

    /** A read in the pool. Thread-safe: ends once. */
    static final class GetTask implements Task<LogId> {
        private final LogId id;
        private final Priority priority;
        private final long deadlineNanos;
        private final Runnable read;
        private final Consumer<TalosException> unread;

        GetTask(LogId id, Priority priority, long deadlineNanos, Runnable read, Consumer<TalosException> unread) {
            this.id = id;
            this.priority = priority;
            this.deadlineNanos = deadlineNanos;
            this.read = read;
            this.unread = unread;
        }

        private void run() {
            read.run();
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
            unread.accept(ControlPool.expired());
        }

        @Override
        public void stopped() {
            unread.accept(ControlPool.stopped());
        }
    }
}
