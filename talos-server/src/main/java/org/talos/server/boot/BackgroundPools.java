// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.StorageConfig.LogsIn;
import org.talos.server.metrics.PoolMetrics;
import org.talos.server.runtime.thread.BackgroundPool;
import org.talos.server.runtime.time.Ticker;

/**
 * The threads for work that no request waits for. Work is divided by what it may wait for: if storage hangs, neither
 * recovery nor the health checks hang with it. docs/operations.md describes the pools for operators.
 *
 * <p>Thread-safe.
 */
public final class BackgroundPools implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BackgroundPools.class);
    private static final int SEAL_THREADS = 8;
    private static final int MAX_WAITING_SEALS = 1_000;
    private static final int LOCAL_CLOSING_THREADS = 16;
    private static final int SEGMENT_THREADS = 8;
    private static final int LOCAL_OPENING_THREADS = 4;
    private static final int UPKEEP_THREADS = 4;
    private static final int REFRESH_THREADS = 8; // more than there are periodic tasks: none waits for another
    private static final int LEAST_READER_THREADS = 2;
    private static final int HEALTH_THREADS = 12; // more than there are checks and periodic tasks
    private static final int BY_OWNERS = Integer.MAX_VALUE; // one for each partition, topic or check at most

    private final List<BackgroundPool> all = new ArrayList<>();
    private final BackgroundPool seals;
    private final BackgroundPool closings;
    private final BackgroundPool segments;
    private final BackgroundPool readers;
    private final BackgroundPool recovery;
    private final BackgroundPool upkeep;
    private final BackgroundPool refresh;
    private final BackgroundPool health;

    public BackgroundPools(ServerConfig config, Ticker ticker, PoolMetrics metrics) {
        seals = add("seals", SEAL_THREADS, MAX_WAITING_SEALS, ticker);
        closings = add("closings", closingThreads(config), BY_OWNERS, ticker);
        segments = add("segments", SEGMENT_THREADS, BY_OWNERS, ticker);
        int processors = Runtime.getRuntime().availableProcessors();
        readers = add("readers", Math.max(LEAST_READER_THREADS, processors), BY_OWNERS, ticker);
        recovery = add("recovery", openingThreads(config), BY_OWNERS, ticker);
        upkeep = add("upkeep", UPKEEP_THREADS, BY_OWNERS, ticker);
        refresh = add("refresh", REFRESH_THREADS, BY_OWNERS, ticker);
        health = add("health", HEALTH_THREADS, BY_OWNERS, ticker);
        all.forEach(metrics::watch);
    }

    private BackgroundPool add(String role, int threads, int maxWaiting, Ticker ticker) {
        BackgroundPool pool = new BackgroundPool(role, threads, maxWaiting, ticker);
        all.add(pool);
        return pool;
    }

    /** Opening a log of HDFS mostly waits for a lease: many open at once, but no more than the NameNode can bear. */
    private static int openingThreads(ServerConfig config) {
        return config.storage().logs() == LogsIn.HDFS ? config.hdfs().recoveriesAtOnce() : LOCAL_OPENING_THREADS;
    }

    /** Closing is mostly waiting, too: a server that stops closes as many logs at once as another opens. */
    private static int closingThreads(ServerConfig config) {
        return Math.max(LOCAL_CLOSING_THREADS, openingThreads(config));
    }

    /** Seals full segments. Waits for storage. If too many wait, it refuses more, and those segments keep growing. */
    public BackgroundPool seals() {
        return seals;
    }

    /** Closes the logs of partitions that go to another server, or are deleted. Waits for storage. */
    public BackgroundPool closings() {
        return closings;
    }

    /** Makes new segments, which puts wait for. */
    public BackgroundPool segments() {
        return segments;
    }

    /** Reads that waited and have no thread of their own to continue with. Never waits. */
    public BackgroundPool readers() {
        return readers;
    }

    /** Opens partitions: at the start, taken over, handed over, or again after a failure. Waits for leases. */
    public BackgroundPool recovery() {
        return recovery;
    }

    /** Runs retention, and deletes what deleted topics have left. Waits for storage. */
    public BackgroundPool upkeep() {
        return upkeep;
    }

    /**
     * Refreshes cached rows and other servers' figures, and runs the leader's queries. Waits for metadata and other
     * servers, not for storage.
     */
    public BackgroundPool refresh() {
        return refresh;
    }

    /** Checks readiness, each check apart, and publishes figures. */
    public BackgroundPool health() {
        return health;
    }

    /** Waits up to a minute for all running and queued tasks; drops delayed tasks. */
    @Override
    public void close() {
        all.forEach(BackgroundPool::shutdown);
        List<String> running = new ArrayList<>();
        try {
            for (BackgroundPool pool : all) {
                if (!pool.awaitTermination(TimeUnit.MINUTES.toMillis(1) / all.size(), TimeUnit.MILLISECONDS)) {
                    running.add(pool.role());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!running.isEmpty()) {
            LOG.warn("background work did not end pools={}", running);
        }
    }
}
