// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.message;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.talos.server.dispatch.Priority;
import org.talos.server.dispatch.Submission;
import org.talos.server.dispatch.TaskExecutor;
import org.talos.server.memory.MemoryBudget;
import org.talos.server.memory.RequestMemory;
import org.talos.server.partition.serving.GetPool;
import org.talos.server.partition.serving.PoolTask;
import org.talos.server.runtime.thread.FairThreads;
import org.talos.server.runtime.thread.TimerWheel;
import org.talos.server.storage.LogId;

/**
 * Decompresses blocks for calls of the contract, in turns of users. It has threads of its own, so no read from storage
 * waits for it.
 *
 * <p>Thread-safe.
 */
public final class Decoding {
    private final FairThreads threads;
    private final TimerWheel timers;
    private final MemoryBudget budget;

    /**
     * Runs work on the given threads.
     *
     * @param budget of the work's memory
     */
    public Decoding(FairThreads threads, TimerWheel timers, MemoryBudget budget) {
        this.threads = threads;
        this.timers = timers;
        this.budget = budget;
    }

    /** A task that waits for its turn, with the timeout of its deadline. Thread-safe. */
    private record Waiting(PoolTask<LogId> task, TimerWheel.Timeout deadline) implements Runnable {
        @Override
        public void run() {
            if (deadline.cancel()) {
                task.run();
            }
        }

        void stop() {
            if (deadline.cancel()) {
                task.stopped();
            }
        }
    }

    /** Queues the tasks of one user. Refuses none until the threads are stopped. Thread-safe. */
    private final class Turns implements TaskExecutor<PoolTask<LogId>> {
        private final String user;

        Turns(String user) {
            this.user = user;
        }

        @Override
        public Submission submit(PoolTask<LogId> task) {
            Waiting waiting = new Waiting(task, timers.schedule(task.deadlineNanos(), task::expired));
            try {
                threads.execute(user, waiting);
            } catch (RejectedExecutionException e) {
                waiting.deadline.cancel();
                return Submission.REFUSED_STOPPED;
            }
            return Submission.ACCEPTED;
        }

        @Override
        public void countRefused() {
            // None is.
        }
    }

    /**
     * Runs work on blocks that are already in memory. The stage that has read the blocks releases them as soon as the
     * work is queued. So they count here from now until the work has ended, and cannot be refused.
     *
     * @param user who causes the work
     */
    public <T> CompletionStage<T> run(
            LogId id, long deadlineNanos, String user, long blockBytes, GetPool.Work<T> work) {
        RequestMemory blocks = RequestMemory.ofWork(budget.of(user));
        RequestMemory memory = RequestMemory.ofWork(budget.of(user));
        blocks.take(blockBytes);
        try {
            return PoolTask.submit(
                            new Turns(user), id, Priority.NORMAL, deadlineNanos, () -> work.in(memory), memory::close)
                    .whenComplete((result, error) -> blocks.close());
        } catch (RuntimeException | Error e) {
            blocks.close();
            throw e;
        }
    }

    /**
     * Refuses further work, and ends the threads once the waiting work has run. Work that still waits at the end of the
     * grace period fails with PARTITION_NOT_SERVING, effect NONE.
     */
    public void close(Duration grace) {
        for (Runnable each : threads.stop(grace)) {
            ((Waiting) each).stop();
        }
    }
}
