// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.thrift.TBase;
import org.jspecify.annotations.Nullable;
import org.talos.common.error.TalosException;
import org.talos.server.dispatch.KeyAffinityExecutor;
import org.talos.server.dispatch.Priority;
import org.talos.server.dispatch.Submission;
import org.talos.server.dispatch.Task;
import org.talos.thrift.ErrorCode;

/** Runs calls that may block, one after another for each key. Thread-safe. */
final class ControlPool {
    private final KeyAffinityExecutor<String, ControlTask> executor;

    ControlPool(KeyAffinityExecutor<String, ControlTask> executor) {
        this.executor = executor;
    }

    /** How a batch of the executor runs. */
    static void runBatch(List<ControlTask> batch) {
        batch.forEach(ControlTask::run);
    }

    CompletionStage<CallResult> run(String key, long deadlineNanos, Callable<@Nullable TBase<?, ?>> work) {
        ControlTask task = new ControlTask(key, deadlineNanos, work);
        Submission submission = executor.submit(task);
        if (submission != Submission.ACCEPTED) {
            task.result.completeExceptionally(refused(submission));
        }
        return task.result;
    }

    static TalosException refused(Submission submission) {
        return submission == Submission.REFUSED_STOPPED
                ? stopped()
                : TalosException.refused(ErrorCode.EXCESSIVE_PENDING_MESSAGE, "too many requests wait");
    }

    static TalosException stopped() {
        return TalosException.refused(
                ErrorCode.PARTITION_NOT_SERVING, "partition not serving error: the server is stopping");
    }

    static TalosException expired() {
        return TalosException.refused(
                ErrorCode.REQUEST_PROCESS_TIMEOUT, "the deadline passed before the request was run");
    }

    /** A call in the pool. Thread-safe: ends once. */
    static final class ControlTask implements Task<String> {
        private final String key;
        private final long deadlineNanos;
        private final Callable<@Nullable TBase<?, ?>> work;
        private final CompletableFuture<CallResult> result = new CompletableFuture<>();

        ControlTask(String key, long deadlineNanos, Callable<@Nullable TBase<?, ?>> work) {
            this.key = key;
            this.deadlineNanos = deadlineNanos;
            this.work = work;
        }

        private void run() {
            try {
                result.complete(CallResult.of(work.call()));
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        }

        @Override
        public String key() {
            return key;
        }

        @Override
        public Priority priority() {
            return Priority.HIGH;
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
