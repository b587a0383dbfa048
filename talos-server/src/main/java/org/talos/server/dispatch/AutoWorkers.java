// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

/**
 * Computes the number of workers of a pool: the policy of {@link KeyAffinityExecutor} without its threads and without a
 * clock.
 *
 * <p>{@code bench capacity} tests this formula: best threads = RT / CPU time × processors × utilization. It gives the
 * number of tasks in progress when the processors have the intended utilization: the tasks that wait, and one for each
 * used processor. Waiting tasks are counted, not computed from the times of completed tasks. So tasks in progress count
 * as well, a store that does not answer causes more workers at once, and tasks of different kinds may share a pool.
 * Waiting for a processor does not count as waiting. Otherwise the number would feed back on itself: on busy
 * processors, twice the workers take twice as long.
 *
 * <p>The formula's number gives the most requests only if exactly that number waits at all times. It varies by its
 * square root. Half of that more, and two workers for each used processor, keep the processors busy when by chance more
 * tasks wait. While the processors are not busy, the number may grow by their free part.
 *
 * <p>More workers than active keys are of no use, as the tasks of a key run one after another. The number grows when
 * there were more keys than workers, at most to twice its value in a period. It shrinks by a quarter, and only if that
 * was right for several seconds, since idle workers cost little. Otherwise the number stays.
 *
 * <p>The same holds for virtual workers, whose lowest number is larger. Surplus ones take no thread, but each task then
 * wakes a sleeping worker, where one that has just ended its own task could have continued with it.
 *
 * <p>Confined: one caller at a time.
 */
final class AutoWorkers {
    /** The intended utilization of the processors. */
    static final double UTILISATION = 0.9;

    private static final double FOR_EACH_PROCESSOR = 2;

    /** The share of processors that a process gets when it never leaves them idle. */
    private static final double ALL = 0.97;

    private static final double MOST_GROWTH = 2;

    /**
     * Processors are short when workers wait for one twice as long as they use it, as they do at a utilization of nine
     * tenths, and at least half a worker waits for each: waking up alone takes longer than a short task.
     */
    private static final double SHORT_OF_PROCESSORS = 2;

    private static final double WAITING_FOR_EACH = 0.5;

    /** The part of a mean that is kept in a period. */
    private static final double KEPT = 0.7;

    private static final double GROWN_FROM = 1.04;
    private static final double SHRUNK_FROM = 0.8;
    private static final int SHRINK_AFTER_PERIODS = 4;
    private static final int SHRINK_PART = 4;
    private static final int PERIODS_OF_PEAK = 60;

    private final int least;
    private final int most;
    private final int[] keys = new int[PERIODS_OF_PEAK]; // the most in each of the last periods
    private int period;
    private int workers;
    private double waiting; // a mean, with the newest periods weighing most
    private int tooManyFor; // periods

    /**
     * Begins with the least number.
     *
     * @param least never fewer
     * @param most never more
     */
    AutoWorkers(int least, int most) {
        this.least = least;
        this.most = Math.max(least, most);
        workers = least;
    }

    /**
     * The measurements of a period. Immutable.
     *
     * @param awake mean number of workers that had a task
     * @param onProcessor mean number of them that ran on a processor
     * @param forProcessor mean number of workers that waited for a processor; NaN if it is unknown
     * @param mostKeys most keys of which tasks waited or ran at a time
     * @param processors that the process may use
     * @param busy part of them that the process used, 0 to 1
     */
    record Period(double awake, double onProcessor, double forProcessor, int mostKeys, int processors, double busy) {
        /** Returns the workers that waited for something other than a processor. */
        double waiting() {
            double forProcessor = Double.isNaN(this.forProcessor) ? 0 : this.forProcessor;
            return Math.max(0, awake - onProcessor - forProcessor);
        }

        /** Returns the factor by which the processors could take more tasks. */
        double possibleGrowth() {
            return forProcessor > Math.max(SHORT_OF_PROCESSORS * onProcessor, WAITING_FOR_EACH * processors)
                    ? 1 // others use them
                    : Math.max(1, ALL / Math.max(ALL / MOST_GROWTH, busy));
        }

        /** Workers that wait for processors cannot be distinguished from workers that wait for storage. */
        boolean isUnclear() {
            return Double.isNaN(forProcessor) && busy >= UTILISATION;
        }
    }

    /** Adds the measurements of a period, and returns the number of workers from now on. */
    int after(Period measured) {
        keys[period++ % PERIODS_OF_PEAK] = measured.mostKeys;
        if (measured.isUnclear()) {
            return workers;
        }
        if (measured.mostKeys > 0) { // without a measurement, the next tasks are assumed to be like the last ones
            waiting = KEPT * waiting + (1 - KEPT) * measured.waiting();
        }
        // Workers that are newer than the mean are taken from the period itself: the tasks that need them have no time.
        double wait = measured.mostKeys > workers ? Math.max(waiting, measured.waiting()) : waiting;
        double best = wait * measured.possibleGrowth()
                + Math.sqrt(wait) / 2
                + FOR_EACH_PROCESSOR * measured.processors * UTILISATION;
        int wanted = (int) Math.round(Math.max(least, Math.min(Math.min(best, most), peak())));
        if (measured.mostKeys > workers && wanted > workers * GROWN_FROM) {
            workers = Math.min(wanted, 2 * workers);
            tooManyFor = 0;
        } else if (wanted > workers * SHRUNK_FROM) {
            tooManyFor = 0;
        } else if (++tooManyFor >= SHRINK_AFTER_PERIODS) {
            workers = Math.max(wanted, workers - Math.max(1, workers / SHRINK_PART));
            tooManyFor = 0;
        }
        return workers;
    }

    /** No more workers are possible for now; the next period starts from there. */
    void holdAt(int number) {
        workers = Math.min(workers, number);
    }

    private int peak() {
        int peak = 0;
        for (int each : keys) {
            peak = Math.max(peak, each);
        }
        return peak;
    }

    /** Returns the number of workers. */
    int workers() {
        return workers;
    }

    /** Returns the recent mean number of waiting workers. */
    double waiting() {
        return waiting;
    }
}
