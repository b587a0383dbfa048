// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.dispatch.AutoWorkers.Period;
import org.talos.server.dispatch.ThreadTimes.Reading;
import org.talos.server.runtime.Ticker;

/**
 * Measures one pool, and has it have as many workers as {@link AutoWorkers} says. It looks from outside: how many
 * workers have a task is sampled, what they did meanwhile is asked of the system. So the way of a task costs no more by
 * it, and what is held up in a store counts while it is.
 *
 * <p>Confined: one thread.
 */
final class WorkerTuning {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerTuning.class);

    /** Samples of a period, after which the number may change. */
    static final int SAMPLES = 5;

    /** Threads that are asked at the end of a period: each costs about 10 µs. They stand for the others. */
    private static final int MOST_ASKED = 64;

    /** Of the workers that have a thread when there is none for more. */
    private static final int LEFT_PART = 10;

    /** Five seconds; twice as long each time that there is none again. */
    static final int FEWEST_CEILING_PERIODS = 10;

    /** Five minutes. */
    private static final int MOST_CEILING_PERIODS = 600;

    private final String pool;
    private final KeyAffinityExecutor<?, ?> executor;
    private final AutoWorkers policy;
    private final Supplier<List<ThreadTimes>> threads;
    private final Ticker ticker;
    private int samples;
    private int awake; // in all samples of the period
    private int mostKeys;
    private long sinceNanos;
    private long processNanos;
    private boolean begun; // the period is measured from its beginning
    private int ceiling = Integer.MAX_VALUE; // while the system has no thread for more
    private int ceilingPeriods; // for how many it stands yet
    private int lackedAt; // with so many workers there was none last
    private int nextCeilingPeriods = FEWEST_CEILING_PERIODS;
    private Map<ThreadTimes, Reading> before = Map.of();

    /** Nothing is measured yet; the pool has the least of its workers. */
    WorkerTuning(String pool, KeyAffinityExecutor<?, ?> executor, Ticker ticker) {
        this(pool, executor, executor::threadTimes, ticker);
    }

    /** @param threads of the workers; none, if the system knows nothing of them */
    WorkerTuning(String pool, KeyAffinityExecutor<?, ?> executor, Supplier<List<ThreadTimes>> threads, Ticker ticker) {
        this.pool = pool;
        this.executor = executor;
        this.threads = threads;
        this.ticker = ticker;
        policy = new AutoWorkers(executor.workers(), executor.mostWorkers());
    }

    /** Takes a sample; to be called ten times a second. */
    void sample() {
        int awakeNow = executor.awake();
        int keys = awakeNow == 0 && executor.waiting() == 0 ? 0 : executor.keys(); // not those of callers' threads
        awake += keys == 0 ? 0 : awakeNow;
        mostKeys = Math.max(mostKeys, keys);
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
            begun = false; // a server at rest asks nobody
            resize(policy.after(new Period(0, 0, Double.NaN, 0, processors, 0)));
            return;
        }
        Map<ThreadTimes, Reading> now = read(threads.get());
        long nowNanos = ticker.nanos();
        long nowProcessNanos = processNanos();
        if (begun) {
            double nanos = Math.max(1, nowNanos - sinceNanos);
            double busy = (nowProcessNanos - processNanos) / nanos / processors;
            measured(now, nanos, processors, busy);
        }
        begun = true;
        before = now;
        sinceNanos = nowNanos;
        processNanos = nowProcessNanos;
    }

    private void measured(Map<ThreadTimes, Reading> now, double nanos, int processors, double busy) {
        double onProcessor = 0;
        double forProcessor = 0;
        int asked = 0;
        int known = 0; // of these, how long they waited for a processor
        for (Map.Entry<ThreadTimes, Reading> each : now.entrySet()) {
            Reading earlier = before.get(each.getKey());
            if (earlier != null) {
                Reading later = each.getValue();
                asked++;
                onProcessor += later.onProcessorNanos() - earlier.onProcessorNanos();
                if (later.forProcessorNanos() != Reading.UNKNOWN) {
                    known++;
                    forProcessor += later.forProcessorNanos() - earlier.forProcessorNanos();
                }
            }
        }
        double has = (double) awake / SAMPLES;
        if (asked == 0) { // at most what the whole process used is theirs
            onProcessor = Math.min(has, busy * processors);
        } else {
            onProcessor *= executor.workers() / nanos / asked;
        }
        forProcessor = known == 0 ? Double.NaN : forProcessor * executor.workers() / nanos / known;
        resize(policy.after(new Period(has, onProcessor, forProcessor, mostKeys, processors, busy)));
    }

    private static Map<ThreadTimes, Reading> read(List<ThreadTimes> threads) {
        Map<ThreadTimes, Reading> readings = new HashMap<>();
        int step = 1 + (threads.size() - 1) / MOST_ASKED;
        for (int i = 0; i < threads.size(); i += step) {
            ThreadTimes thread = threads.get(i);
            thread.read().ifPresent(reading -> readings.put(thread, reading));
        }
        return readings;
    }

    private static long processNanos() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? system.getProcessCpuTime()
                : 0;
    }

    /**
     * Leaves a tenth of the threads that there are to all else that needs one, of those that it has just taken, and
     * takes no more for a time.
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
