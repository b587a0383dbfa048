// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.thread.NamedThreads;
import org.talos.server.runtime.time.Ticker;

/**
 * Sets the number of workers of {@code auto} pools. Runs on a thread of its own, which waits for nothing: it is needed
 * most when a store holds everything else up.
 *
 * <p>Thread-safe.
 */
public final class PoolTuning implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PoolTuning.class);
    private static final int SAMPLE_MILLIS = 100;

    private final Ticker ticker;
    private final List<Pool> pools = new ArrayList<>(); // complete before the start
    private final List<WorkerTuning> tuned = new ArrayList<>();
    private final ScheduledExecutorService thread =
            new ScheduledThreadPoolExecutor(1, new NamedThreads("workers")); // started with the first sample

    /** Creates a tuning without pools. */
    public PoolTuning(Ticker ticker) {
        this.ticker = ticker;
    }

    private record Pool(String name, KeyAffinityExecutor<?, ?> executor) {
        boolean isTuned() {
            return executor.isTuned();
        }
    }

    /**
     * The workers of a pool. Immutable.
     *
     * @param auto whether the number of workers is computed from measurements
     */
    public record PoolWorkers(String pool, int workers, boolean auto) {}

    /** Adds a pool. Call it before the start. */
    public void add(String name, KeyAffinityExecutor<?, ?> executor) {
        Pool pool = new Pool(name, executor);
        pools.add(pool);
        if (pool.isTuned()) {
            tuned.add(new WorkerTuning(name, executor, ticker));
        }
    }

    /** Begins to measure, unless all numbers are fixed. */
    public void start() {
        if (!tuned.isEmpty()) {
            var unused = thread.scheduleAtFixedRate(this::sample, SAMPLE_MILLIS, SAMPLE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void sample() {
        for (WorkerTuning each : tuned) {
            try {
                each.sample();
            } catch (RuntimeException e) {
                LOG.error("pool resize failed", e);
            }
        }
    }

    /** Returns all pools, in the order in which they were added. */
    public List<PoolWorkers> workers() {
        return pools.stream()
                .map(pool -> new PoolWorkers(pool.name, pool.executor.workers(), pool.isTuned()))
                .toList();
    }

    /** All pools stay as they are. */
    @Override
    public void close() {
        thread.shutdownNow();
    }
}
