// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster.zookeeper;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.NamedThreads;

/**
 * The coordinator's two threads: one for news, which never waits, and one for calls that wait for ZooKeeper. What fails
 * is logged here, where its journey ends; the next heartbeat or round does it again.
 *
 * <p>Thread-safe.
 */
final class ClusterThreads implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterThreads.class);

    private final ScheduledThreadPoolExecutor news = executor("cluster");
    private final ScheduledThreadPoolExecutor work = executor("cluster-work");

    /** A step that waits for ZooKeeper. */
    @FunctionalInterface
    interface Step {
        void run() throws KeeperException, InterruptedException;
    }

    private static ScheduledThreadPoolExecutor executor(String role) {
        return new ScheduledThreadPoolExecutor(1, new NamedThreads(role));
    }

    void onNews(Runnable step) {
        try {
            news.execute(() -> take(step));
        } catch (RejectedExecutionException e) {
            LOG.debug("cluster is closed, news not taken in");
        }
    }

    void onNewsAfter(Duration delay, Runnable step) {
        try {
            var unused = news.schedule(() -> take(step), delay.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("cluster is closed, news not taken in");
        }
    }

    void onNewsEvery(Duration interval, Runnable step) {
        repeat(news, interval, () -> take(step));
    }

    void onWork(String what, Step step) {
        try {
            work.execute(() -> attempt(what, step));
        } catch (RejectedExecutionException e) {
            LOG.debug("cluster is closed, not done what={}", what);
        }
    }

    void onWorkEvery(Duration interval, String what, Step step) {
        repeat(work, interval, () -> attempt(what, step));
    }

    private static void repeat(ScheduledThreadPoolExecutor executor, Duration interval, Runnable step) {
        var unused = executor.scheduleWithFixedDelay(step, 0, Math.max(1, interval.toMillis()), TimeUnit.MILLISECONDS);
    }

    private static void take(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            LOG.error("news of the cluster not taken in", e);
        }
    }

    private void attempt(String what, Step step) {
        try {
            step.run();
        } catch (KeeperException e) {
            LOG.warn("ZooKeeper failed, tried again soon what={} error={}", what, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            if (!work.isShutdown()) { // Curator's complaint that it is closed
                LOG.error("cluster step failed, tried again soon what={}", what, e);
            }
        }
    }

    /** Waits for nobody. */
    @Override
    public void close() {
        news.shutdownNow();
        work.shutdownNow();
    }
}
