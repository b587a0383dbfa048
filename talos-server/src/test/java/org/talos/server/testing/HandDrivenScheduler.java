// SPDX-License-Identifier: Apache-2.0
package org.talos.server.testing;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * A scheduler whose time a test lets pass: tasks run on the test's thread, in the order in which they are due, and none
 * before the test says so.
 *
 * <p>Thread-safe; but tasks run one at a time, on the thread that lets time pass.
 */
public final class HandDrivenScheduler extends AbstractExecutorService implements ScheduledExecutorService {
    private final PriorityQueue<Task> tasks = new PriorityQueue<>(
            Comparator.comparingLong((Task task) -> task.dueNanos).thenComparing(task -> task.number));
    private long nanos;
    private long made;
    private boolean shut;

    /** Begins at 0. */
    public HandDrivenScheduler() {}

    /** A task and when it is due. Thread-safe. */
    private final class Task extends FutureTask<Object> implements ScheduledFuture<Object> {
        private final long dueNanos;
        private final long number;

        Task(Runnable work, long dueNanos, long number) {
            super(work, null);
            this.dueNanos = dueNanos;
            this.number = number;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(dueNanos - nanos(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }

    /** The time, in nanoseconds: a ticker. */
    public synchronized long nanos() {
        return nanos;
    }

    /** Runs what is due now, and what that makes due at once. */
    public void run() {
        pass(Duration.ZERO);
    }

    /** Lets so much time pass, and runs each task when it is due. */
    public void pass(Duration time) {
        long until = nanos() + time.toNanos();
        for (Task next = due(until); next != null; next = due(until)) {
            next.run();
        }
        synchronized (this) {
            nanos = until;
        }
    }

    private synchronized Task due(long until) {
        Task next = tasks.peek();
        if (next == null || next.dueNanos > until) {
            return null;
        }
        nanos = Math.max(nanos, next.dueNanos);
        return tasks.remove();
    }

    @Override
    public void execute(Runnable work) {
        var unused = schedule(work, 0, TimeUnit.NANOSECONDS);
    }

    @Override
    public synchronized ScheduledFuture<?> schedule(Runnable work, long delay, TimeUnit unit) {
        if (shut) {
            throw new java.util.concurrent.RejectedExecutionException("shut down");
        }
        Task task = new Task(work, nanos + unit.toNanos(delay), made++);
        tasks.add(task);
        return task;
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> work, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException("nobody needs it");
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable work, long initialDelay, long period, TimeUnit unit) {
        throw new UnsupportedOperationException("nobody needs it");
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable work, long initialDelay, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException("nobody needs it");
    }

    @Override
    public synchronized void shutdown() {
        shut = true;
    }

    @Override
    public synchronized List<Runnable> shutdownNow() {
        shut = true;
        List<Runnable> left = List.copyOf(tasks);
        tasks.clear();
        return left;
    }

    @Override
    public synchronized boolean isShutdown() {
        return shut;
    }

    @Override
    public synchronized boolean isTerminated() {
        return shut && tasks.isEmpty();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return isTerminated();
    }
}
