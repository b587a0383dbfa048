// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.dispatch.AutoWorkers.Period;
import org.talos.server.dispatch.ProcessorUse.Use;
import org.talos.server.runtime.time.Ticker;

/**
 * Measures a pool, and sets its number of workers to the result of {@link AutoWorkers}. It samples from outside how
 * many workers have a task, and asks the system or the JDK for their use of processors ({@link ProcessorUse}). So a
 * task's path costs nothing more, and a task that is blocked in a store counts while it is blocked.
 *
 * <p>Confined: one thread.
 */
final class WorkerTuning {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerTuning.class);

    /** Samples of a period, after which the number may change. */
    static final int SAMPLES = 5;

    /** Threads that the other workers keep when there is none for more. */
    private static final int LEFT_PART = 10;

    /** Five seconds; doubled each time that there is none again. */
    static final int FEWEST_CEILING_PERIODS = 10;

    /** Five minutes. */
    private static final int MOST_CEILING_PERIODS = 600;

    private final String pool;
    private final KeyAffinityExecutor<?, ?> executor;
    private final AutoWorkers policy;
    private final ProcessorUse use;
    private final Ticker ticker;
    private int samples;
    private int awake; // in all samples of the period
    private int mostKeys;
    private long sinceNanos;
    private long processNanos;
    private boolean begun; // the period is measured from its beginning
    private int ceiling = Integer.MAX_VALUE; // while the system has no thread for more
    private int ceilingPeriods; // number of samples in the current period
    private int lackedAt; // the number of workers at which there was no thread last
    private int nextCeilingPeriods = FEWEST_CEILING_PERIODS;

    /** Creates a tuning without measurements yet; the pool has the least number of workers. */
    WorkerTuning(String pool, KeyAffinityExecutor<?, ?> executor, Ticker ticker) {
        this(pool, executor, executor.processorUse(), ticker);
    }

    /** @param use of the executor's workers */
    WorkerTuning(String pool, KeyAffinityExecutor<?, ?> executor, ProcessorUse use, Ticker ticker) {
        this.pool = pool;
        this.executor = executor;
        this.use = use;
        this.ticker = ticker;
        policy = new AutoWorkers(executor.workers(), executor.mostWorkers());
    }

    /** Takes a sample; called ten times a second. */
    void sample() {
        int awakeNow = executor.awake();
        int keys = awakeNow == 0 && executor.waiting() == 0 ? 0 : executor.keys(); // not those of callers' threads
        awake += keys == 0 ? 0 : awakeNow;
        mostKeys = Math.max(mostKeys, keys);
        use.sample();
        if (++samples == SAMPLES) {
            endPeriod();
            samples = 0;
            awake = 0;
            mostKeys = 0;
        }
    }

    private void endPeriod() {
        int processors = Runtime.getRuntime().availableProcessors(); // a container's may change
        if (mostKeys == 0) {
            begun = false; // do not query the system for an idle server
            resize(policy.after(new Period(0, 0, Double.NaN, 0, processors, 0)));
            return;
        }
        long nowNanos = ticker.nanos();
        long nowProcessNanos = processNanos();
        if (begun) {
            double nanos = Math.max(1, nowNanos - sinceNanos);
            measured(nanos, processors, (nowProcessNanos - processNanos) / nanos / processors);
        } else {
            use.begin();
        }
        begun = true;
        sinceNanos = nowNanos;
        processNanos = nowProcessNanos;
    }

    private void measured(double nanos, int processors, double busy) {
        double has = (double) awake / SAMPLES;
        Use used = use.end(nanos, executor.workers())
                // at most the time that the whole process used
                .orElseGet(() -> new Use(Math.min(has, busy * processors), Double.NaN));
        resize(policy.after(new Period(has, used.onProcessor(), used.forProcessor(), mostKeys, processors, busy)));
    }

    private static long processNanos() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? system.getProcessCpuTime()
                : 0;
    }

    /**
     * Leaves a tenth of the available threads to the rest of the system, when workers were just added, and adds no more
     * for a time.
     */
    private void leaveThreads(int before, OutOfMemoryError cause) {
        int there = executor.workers();
        lackedAt = there;
        ceiling = Math.max(before, there - Math.max(1, there / LEFT_PART));
        ceilingPeriods = nextCeilingPeriods;
        nextCeilingPeriods = Math.min(2 * nextCeilingPeriods, MOST_CEILING_PERIODS);
        policy.holdAt(ceiling);
        executor.resize(ceiling);
        LOG.warn(
                "no threads for more workers pool={} workers={} triedAgainAfterSeconds={}",
                pool,
                ceiling,
                ceilingPeriods / 2,
                cause);
    }

    private void resize(int wanted) {
        if (ceilingPeriods > 0 && --ceilingPeriods == 0) {
            ceiling = Integer.MAX_VALUE;
        }
        if (wanted > ceiling) {
            policy.holdAt(ceiling);
        }
        int workers = Math.min(wanted, ceiling);
        int from = executor.workers();
        if (workers == from) {
            return;
        }
        try {
            executor.resize(workers);
        } catch (OutOfMemoryError e) {
            leaveThreads(from, e);
            return;
        }
        if (workers > lackedAt) {
            nextCeilingPeriods = FEWEST_CEILING_PERIODS;
        }
        LOG.info(
                "workers changed pool={} from={} to={} keys={} waiting={}",
                pool,
                from,
                workers,
                mostKeys,
                Math.round(policy.waiting()));
    }
}
