// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.message;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
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
 * Decompresses what calls of the contract have read, in turns of users. No read from storage waits for it, as it has
 * threads of its own.
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
     * @param budget of what the work holds
     */
    public Decoding(FairThreads threads, TimerWheel timers, MemoryBudget budget) {
        this.threads = threads;
        this.timers = timers;
        this.budget = budget;
    }

    /** Queues the tasks of one user, and refuses none. Thread-safe. */
    private final class Turns implements TaskExecutor<PoolTask<LogId>> {
        private final String user;

        Turns(String user) {
            this.user = user;
        }

        @Override
        public Submission submit(PoolTask<LogId> task) {
            TimerWheel.Timeout timeout = timers.schedule(task.deadlineNanos(), task::expired);
            threads.execute(user, () -> {
                if (timeout.cancel()) {
                    task.run();
                }
            });
            return Submission.ACCEPTED;
        }

        @Override
        public void countRefused() {
            // None is.
        }
    }

    /**
     * Runs work on blocks that are in memory already. The stage that has read the blocks releases them as soon as the
     * work is queued. So they count here from now until the work has ended, and cannot be refused.
     *
     * @param user who makes the server do it
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

    /** Ends the threads once what waits has run, within the grace period. */
    public void close(Duration grace) {
        threads.close(grace);
    }
}
