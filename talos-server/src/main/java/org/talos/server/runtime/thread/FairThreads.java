// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.thread;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.talos.server.runtime.time.Ticker;

/**
 * Runs tasks that take milliseconds of processor time. Users take turns by the processor time of their tasks, so that
 * one user never waits behind all of another's tasks.
 *
 * <p>A task is not interrupted. So one user's tasks run on a bounded number of threads, and there is one thread more: a
 * second user always finds it free, even if the first user's tasks take long.
 *
 * <p>Thread-safe.
 */
public final class FairThreads implements AutoCloseable {
    /** Processor time of a user in a round. */
    static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final ExecutorService threads;
    private final int mostThreads;
    private final Ticker processorTime;

    @GuardedBy("this")
    private final FairQueue<Work> waiting;

    @GuardedBy("this")
    private int runners; // threads that take tasks, or are about to

    @GuardedBy("this")
    private boolean refusing;

    /**
     * Creates threads that start with the first tasks.
     *
     * @param role of the threads, in their names
     * @param mostOfUser threads that run one user's tasks at once; there is one more
     */
    public FairThreads(String role, int mostOfUser) {
        this(role, mostOfUser, ManagementFactory.getThreadMXBean()::getCurrentThreadCpuTime);
    }

    /** @param processorTime of the current thread */
    FairThreads(String role, int mostOfUser, Ticker processorTime) {
        mostThreads = mostOfUser + 1;
        threads = Executors.newFixedThreadPool(mostThreads, new NamedThreads(role));
        waiting = new FairQueue<>(TURN_NANOS, mostOfUser);
        this.processorTime = processorTime;
    }

    /** A task of a user. Immutable. */
    private record Work(String user, Runnable task) {}

    /**
     * Runs a task when its user's turn has come. Once this is closed, or if no thread is left, runs it on the caller's
     * thread.
     *
     * @throws RejectedExecutionException this was stopped
     */
    public void execute(String user, Runnable task) {
        if (add(user, task)) {
            startRunner();
        }
    }

    /** Queues a task. Returns whether the caller starts a runner: beyond the threads, a runner would only wait. */
    private synchronized boolean add(String user, Runnable task) {
        if (refusing) {
            throw new RejectedExecutionException("stopped");
        }
        waiting.add(user, new Work(user, task));
        boolean starts = runners < mostThreads;
        runners += starts ? 1 : 0;
        return starts;
    }

    private void startRunner() {
        try {
            threads.execute(this::runAll);
        } catch (RejectedExecutionException | OutOfMemoryError e) { // closed, or no thread left
            runAll();
        }
    }

    /** Runs tasks until none is left that may run. Tasks of a user beyond the bound are run by that user's threads. */
    private void runAll() {
        boolean ended = false;
        try {
            for (Work work = next(); work != null; work = next()) {
                run(work);
            }
            ended = true;
        } finally {
            if (!ended) { // a task has thrown, and this thread ends
                startRunner();
            }
        }
    }

    private void run(Work work) {
        long begun = processorTime.nanos();
        try {
            work.task.run();
        } finally {
            end(work.user, processorTime.nanos() - begun);
        }
    }

    /** Takes the next task. If there is none, the caller is no longer a runner. */
    private synchronized @Nullable Work next() {
        Work next = waiting.poll();
        runners -= next == null ? 1 : 0;
        return next;
    }

    /** Returns the number of threads that take tasks, or are about to. */
    synchronized int runners() {
        return runners;
    }

    private synchronized void end(String user, long nanos) {
        waiting.end(user, nanos);
    }

    /** Ends the threads once their waiting tasks have run. May be called twice. */
    @Override
    public void close() {
        threads.shutdown();
    }

    /**
     * Refuses further tasks, and ends the threads once the waiting tasks have run, or the time is over. May be called
     * twice.
     *
     * @param longest time that it waits for the tasks
     * @return the tasks that still wait then and never run; a task that runs is not interrupted
     */
    public List<Runnable> stop(Duration longest) {
        refuse();
        close();
        try {
            var unused = threads.awaitTermination(longest.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return removeWaiting();
    }

    private synchronized void refuse() {
        refusing = true;
    }

    private synchronized List<Runnable> removeWaiting() {
        return waiting.removeAll().stream().map(Work::task).toList();
    }
}
