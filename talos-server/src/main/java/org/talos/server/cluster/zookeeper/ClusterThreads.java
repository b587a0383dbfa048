// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.thread.NamedThreads;

/**
 * The coordinator's two threads: one for events, which never blocks, and one for calls that wait for ZooKeeper. A step
 * that fails is logged here; the next heartbeat or round repeats it.
 *
 * <p>Thread-safe.
 */
final class ClusterThreads implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterThreads.class);

    private final ScheduledExecutorService events;
    private final ScheduledExecutorService work;

    ClusterThreads() {
        this(executor("cluster"), executor("cluster-work"));
    }

    /** On executors that run one task at a time each; they are shut down with this. */
    ClusterThreads(ScheduledExecutorService events, ScheduledExecutorService work) {
        this.events = events;
        this.work = work;
    }

    /** A step that waits for ZooKeeper. */
    @FunctionalInterface
    interface Step {
        void run() throws KeeperException, InterruptedException;
    }

    private static ScheduledThreadPoolExecutor executor(String role) {
        return new ScheduledThreadPoolExecutor(1, new NamedThreads(role));
    }

    void onEvents(Runnable step) {
        try {
            events.execute(() -> handle(step));
        } catch (RejectedExecutionException e) {
            LOG.debug("cluster is closed, event dropped");
        }
    }

    void onEventsAfter(Duration delay, Runnable step) {
        try {
            var unused = events.schedule(() -> handle(step), delay.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("cluster is closed, event dropped");
        }
    }

    void onEventsEvery(Duration interval, Runnable step) {
        repeat(events, interval, () -> handle(step));
    }

    void onWork(String what, Step step) {
        try {
            work.execute(() -> attempt(what, step));
        } catch (RejectedExecutionException e) {
            LOG.debug("cluster is closed, step dropped what={}", what);
        }
    }

    void onWorkEvery(Duration interval, String what, Step step) {
        repeat(work, interval, () -> attempt(what, step));
    }

    private static void repeat(ScheduledExecutorService executor, Duration interval, Runnable step) {
        var unused = executor.scheduleWithFixedDelay(step, 0, Math.max(1, interval.toMillis()), TimeUnit.MILLISECONDS);
    }

    private static void handle(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) { // an Error too: otherwise the task would never run again
            LOG.error("cluster event not handled", e);
        }
    }

    private void attempt(String what, Step step) {
        try {
            step.run();
        } catch (KeeperException e) {
            LOG.warn("ZooKeeper failed, retrying soon what={} error={}", what, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            if (!work.isShutdown()) { // after shutdown Curator throws since it is closed
                LOG.error("cluster step failed, retrying soon what={}", what, e);
            }
        }
    }

    /** Interrupts both threads, without waiting for their end. */
    @Override
    public void close() {
        events.shutdownNow();
        work.shutdownNow();
    }
}
