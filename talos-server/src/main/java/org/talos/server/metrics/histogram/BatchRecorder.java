// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics.histogram;

import java.util.function.LongConsumer;

/** Records measurements of batches of tasks. Confined: one thread, unless its creator states otherwise. */
public interface BatchRecorder {
    /** Records a task's start; a wait below 0 as 0. */
    void started(long waitedNanos);

    /** Records a batch that has run; a time below 0 as 0. */
    void ran(int tasks, long nanos);

    /**
     * One that gives each value to where it belongs. Thread-safe if these are.
     *
     * @param waits of tasks, until their start, in nanoseconds
     * @param runs of batches, in nanoseconds
     * @param sizes of batches, in tasks
     */
    static BatchRecorder to(LongConsumer waits, LongConsumer runs, LongConsumer sizes) {
        return new BatchRecorder() {
            @Override
            public void started(long waitedNanos) {
                waits.accept(waitedNanos);
            }

            @Override
            public void ran(int tasks, long nanos) {
                runs.accept(nanos);
                sizes.accept(tasks);
            }
        };
    }
}
