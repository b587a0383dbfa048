// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.thread;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.time.Ticker;

/**
 * Threads for one kind of background work: tasks that hang delay only their own kind. A task is refused while the queue
 * is full. Delayed and periodic tasks always fit, as their owners bound their number.
 *
 * <p>A task that throws, even an Error, ends neither a thread nor its own repetitions: it is logged.
 *
 * <p>Thread-safe.
 */
public final class BackgroundPool extends ScheduledThreadPoolExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(BackgroundPool.class);

    private final String role;
    private final int maxWaiting;
    private final Ticker ticker;
    private final AtomicInteger waiting = new AtomicInteger();
    private final LongAdder refused = new LongAdder();
    private final Map<Task, Long> running = new ConcurrentHashMap<>(); // start times

    /**
     * Creates a pool whose threads start with their first task and end when they are idle. At shutdown, queued tasks
     * run, and delayed or periodic ones are dropped.
     *
     * @param role names the threads and the metrics
     * @param maxWaiting most tasks that have been submitted and have not begun
     */
    public BackgroundPool(String role, int threads, int maxWaiting, Ticker ticker) {
        super(threads, new NamedThreads(role));
        this.role = role;
        this.maxWaiting = maxWaiting;
        this.ticker = ticker;
        setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        setRemoveOnCancelPolicy(true);
        setKeepAliveTime(1, TimeUnit.MINUTES);
        allowCoreThreadTimeOut(true);
    }

    /** Runs work so that its end, well or not, is noted. Confined: to one run at a time. */
    private final class Task implements Runnable {
        private final Runnable work;
        private final boolean executed;

        Task(Runnable work, boolean executed) {
            this.work = work;
            this.executed = executed;
        }

        @Override
        public void run() {
            if (executed) {
                waiting.decrementAndGet();
            }
            running.put(this, ticker.nanos());
            try {
                work.run();
            } catch (RuntimeException | Error e) { // the top of the thread
                LOG.error("background task failed pool={}", role, e);
            } finally {
                running.remove(this);
            }
        }
    }

    /**
     * Runs the task soon.
     *
     * @throws RejectedExecutionException as many tasks wait as may, the pool has been shut down, or it has no thread
     *     and none can be started: the task is not kept
     */
    @Override
    public void execute(Runnable work) {
        if (waiting.incrementAndGet() > maxWaiting) {
            waiting.decrementAndGet();
            refused.increment();
            throw new RejectedExecutionException(
                    "pool " + role + " is full: " + maxWaiting + " tasks wait for threads that do not return");
        }
        try {
            requireThread();
            var unused = super.schedule(new Task(work, true), 0, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            waiting.decrementAndGet();
            throw e;
        } catch (OutOfMemoryError e) { // no memory for another thread: existing threads run the queued task
            LOG.warn("no further thread can be started pool={} cause={}", role, e.toString());
        }
    }

    /**
     * Fails before a task is queued. Otherwise the task might never run, and the caller that gets the error would not
     * know that the task was kept.
     */
    private void requireThread() {
        if (getPoolSize() > 0) {
            return;
        }
        try {
            prestartCoreThread();
        } catch (OutOfMemoryError e) {
            throw new RejectedExecutionException("pool " + role + " has no thread left", e);
        }
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable work, long delay, TimeUnit unit) {
        return super.schedule(new Task(work, false), delay, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable work, long initialDelay, long period, TimeUnit unit) {
        return super.scheduleAtFixedRate(new Task(work, false), initialDelay, period, unit);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable work, long initialDelay, long delay, TimeUnit unit) {
        return super.scheduleWithFixedDelay(new Task(work, false), initialDelay, delay, unit);
    }

    /** Returns the name of its threads and metrics. */
    public String role() {
        return role;
    }

    /** Returns the number of tasks that have been submitted and have not begun. */
    public int waiting() {
        return waiting.get();
    }

    /** Returns the number of tasks that run now. */
    public int running() {
        return running.size();
    }

    /** Returns the time for which the longest task has run; 0 if none runs. */
    public long longestNanos() {
        long now = ticker.nanos();
        return running.values().stream().mapToLong(since -> now - since).max().orElse(0);
    }

    /** Returns the number of tasks that were refused because too many waited. */
    public long refused() {
        return refused.sum();
    }
}
