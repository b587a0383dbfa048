// SPDX-License-Identifier: Apache-2.0
package org.talos.server.partition.serving;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.TalosException;
import org.talos.server.dispatch.Priority;
import org.talos.server.dispatch.Submission;
import org.talos.server.dispatch.Task;
import org.talos.server.dispatch.TaskExecutor;
import org.talos.thrift.ErrorCode;

/** Work in a pool with a caller that waits for its result. Thread-safe: ends once. */
public final class PoolTask<K> implements Task<K> {
    private static final Logger LOG = LoggerFactory.getLogger(PoolTask.class);

    private final K key;
    private final Priority priority;
    private final long deadlineNanos;
    private final Runnable work;
    private final Consumer<Throwable> notRun;
    private final AtomicBoolean ended = new AtomicBoolean(); // or is being run

    private PoolTask(K key, Priority priority, long deadlineNanos, Runnable work, Consumer<Throwable> notRun) {
        this.key = key;
        this.priority = priority;
        this.deadlineNanos = deadlineNanos;
        this.work = work;
        this.notRun = notRun;
    }

    /** Completes with the result or the exception of the work, or with the reason why it never ran. */
    public static <K, T> CompletionStage<T> submit(
            TaskExecutor<PoolTask<K>> executor, K key, Priority priority, long deadlineNanos, Callable<T> work) {
        return submit(executor, key, priority, deadlineNanos, work, () -> {});
    }

    /**
     * Does the same, and runs {@code after} at the end.
     *
     * @param after runs once, after the work and the stages that depend on it, or if the work never runs
     */
    public static <K, T> CompletionStage<T> submit(
            TaskExecutor<PoolTask<K>> executor,
            K key,
            Priority priority,
            long deadlineNanos,
            Callable<T> work,
            Runnable after) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Runnable run = () -> {
            try {
                result.complete(work.call());
            } catch (Exception | Error e) {
                result.completeExceptionally(e);
            } finally {
                after.run();
            }
        };
        Consumer<Throwable> notRun = why -> {
            try {
                after.run();
            } finally {
                result.completeExceptionally(why);
            }
        };
        PoolTask<K> task = new PoolTask<>(key, priority, deadlineNanos, run, notRun);
        Submission submission = executor.submit(task);
        if (submission != Submission.ACCEPTED) {
            task.failed(refused(submission));
        }
        return result;
    }

    /** Runs the work and completes its result. Throws nothing, so the other tasks of the batch run in any case. */
    public void run() {
        ended.set(true);
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            LOG.error("step after a task failed key={}", key, e);
        }
    }

    static TalosException refused(Submission submission) {
        return submission == Submission.REFUSED_STOPPED
                ? notServing()
                : TalosException.refused(ErrorCode.EXCESSIVE_PENDING_MESSAGE, "too many requests wait");
    }

    static TalosException notServing() {
        return TalosException.refused(
                ErrorCode.PARTITION_NOT_SERVING, "partition not serving error: the server is stopping");
    }

    static TalosException late() {
        return TalosException.refused(
                ErrorCode.REQUEST_PROCESS_TIMEOUT, "the deadline passed before the request was run");
    }

    @Override
    public K key() {
        return key;
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
        failed(late());
    }

    @Override
    public void stopped() {
        failed(notServing());
    }

    @Override
    public void failed(Throwable cause) {
        if (ended.compareAndSet(false, true)) {
            notRun.accept(cause);
        }
    }
}
