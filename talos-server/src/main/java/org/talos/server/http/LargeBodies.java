// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.management.ManagementFactory;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.jspecify.annotations.Nullable;
import org.talos.server.runtime.thread.FairQueue;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.runtime.time.Ticker;

/**
 * Continues with the requests whose bodies or answers are large, or may be once they are decompressed, on threads of
 * its own: their digests, decoding and writing take milliseconds, for which all other connections of a selector would
 * wait. Users take turns by the processor time that their tasks use, so that nobody waits behind all that another has
 * sent or asked for.
 *
 * <p>A task is not interrupted. So one user's tasks run on as many threads as there are processors, and there is one
 * thread more: a second user finds it free, however long the tasks of the first one take.
 *
 * <p>Thread-safe.
 */
final class LargeBodies extends AbstractLifeCycle {
    /** More is large: a selector is done with so much in a fraction of a millisecond. */
    static final int BYTES = 128 << 10;

    /** Processor time of a user in a round. */
    static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final ExecutorService threads;
    private final int mostThreads;
    private final Ticker processorTime;

    @GuardedBy("this")
    private final FairQueue<Work> waiting;

    @GuardedBy("this")
    private int runners; // threads that take tasks until none may run, or are about to

    /** One thread more than there are processors. */
    LargeBodies() {
        this(Runtime.getRuntime().availableProcessors(), ManagementFactory.getThreadMXBean()::getCurrentThreadCpuTime);
    }

    /**
     * Threads that start with the first tasks.
     *
     * @param mostOfUser threads that run one user's tasks at once; there is one more
     * @param processorTime of the current thread
     */
    LargeBodies(int mostOfUser, Ticker processorTime) {
        mostThreads = mostOfUser + 1;
        threads = Executors.newFixedThreadPool(mostThreads, new NamedThreads("http-large"));
        waiting = new FairQueue<>(TURN_NANOS, mostOfUser);
        this.processorTime = processorTime;
    }

    /** A task of a user. Immutable. */
    private record Work(String user, Runnable task) {}

    /** Runs a task when its user's turn has come; once this has stopped or no thread is left, on the caller's. */
    void execute(String user, Runnable task) {
        if (add(user, task)) {
            startRunner();
        }
    }

    /** Queues a task. Returns whether the caller starts a runner: beyond the threads, a runner would only wait. */
    private synchronized boolean add(String user, Runnable task) {
        waiting.add(user, new Work(user, task));
        boolean starts = runners < mostThreads;
        runners += starts ? 1 : 0;
        return starts;
    }

    private void startRunner() {
        try {
            threads.execute(this::runAll);
        } catch (RejectedExecutionException | OutOfMemoryError e) { // stopped, or no thread left
            runAll();
        }
    }

    /** Runs tasks until none is left that may run. What a user has beyond the bound is run by that user's threads. */
    private void runAll() {
        boolean ended = false;
        try {
            for (Work work = next(); work != null; work = next()) {
                run(work);
            }
            ended = true;
        } finally {
            if (!ended) { // a task has thrown, which ends this thread
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

    /** Takes the next task. If there is none, the caller is no runner any more. */
    private synchronized @Nullable Work next() {
        Work next = waiting.poll();
        runners -= next == null ? 1 : 0;
        return next;
    }

    /** Returns how many threads take tasks, or are about to. */
    synchronized int runners() {
        return runners;
    }

    private synchronized void end(String user, long nanos) {
        waiting.end(user, nanos);
    }

    @Override
    protected void doStop() {
        threads.shutdown(); // what waits is run
    }
}
