// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.thread;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The tasks that one owner runs on threads that it shares with other owners. The owner can wait for its own tasks
 * without waiting for the other owners' tasks.
 *
 * <p>Thread-safe. Tasks must not call methods that wait.
 */
public final class OwnTasks implements Executor {
    private final Executor shared;
    private final Threads threads;
    private final Set<Task> unfinished = ConcurrentHashMap.newKeySet();

    /** Runs tasks on shared threads; {@code threads} is how their owner waits for them. */
    public OwnTasks(Executor shared, Threads threads) {
        this.shared = shared;
        this.threads = threads;
    }

    /** A task that runs once, on the thread that takes it first. Thread-safe. */
    private final class Task implements Runnable {
        private final Runnable work;
        private final AtomicBoolean taken = new AtomicBoolean();
        private final CompletableFuture<Void> ended = new CompletableFuture<>();

        Task(Runnable work) {
            this.work = work;
        }

        @Override
        public void run() {
            if (taken.compareAndSet(false, true)) {
                try {
                    work.run();
                } finally {
                    end();
                }
            }
        }

        /** Drops the task, if it has not begun. */
        void drop() {
            if (taken.compareAndSet(false, true)) {
                end();
            }
        }

        private void end() {
            unfinished.remove(this);
            ended.complete(null);
        }
    }

    @Override
    public void execute(Runnable work) {
        Task task = new Task(work);
        unfinished.add(task);
        boolean given = false;
        try {
            shared.execute(task);
            given = true;
        } finally {
            if (!given) {
                task.drop();
            }
        }
    }

    /** Runs the tasks that have not begun, on this thread, and waits for running ones. */
    public void finish() {
        for (Task task : unfinished) {
            task.run();
        }
        unfinished.forEach(task -> threads.awaitEnd(task.ended));
    }

    /** Drops the tasks that have not begun, and waits for running ones if requested. */
    public void drop(boolean waits) {
        unfinished.forEach(Task::drop);
        if (waits) {
            unfinished.forEach(task -> threads.awaitEnd(task.ended));
        }
    }
}
