// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import java.util.function.LongConsumer;

/**
 * What is measured of the batches of one worker, or of all that run on their callers' threads.
 *
 * <p>Confined: the worker, its threads one after another; {@link DispatchMetrics#callers} is thread-safe.
 */
public final class BatchMetrics {
    private final LongConsumer queueWait;
    private final LongConsumer run;
    private final LongConsumer batch;
    private volatile boolean hasRun;

    BatchMetrics(LongConsumer queueWait, LongConsumer run, LongConsumer batch) {
        this.queueWait = queueWait;
        this.run = run;
        this.batch = batch;
    }

    /** Records a task's start. */
    public void started(long waitedNanos) {
        queueWait.accept(waitedNanos);
    }

    /** Records a batch that has run. */
    public void ran(int tasks, long nanos) {
        batch.accept(tasks);
        run.accept(nanos);
        if (!hasRun) { // reading is cheap, setting is not
            hasRun = true;
        }
    }

    /** Whether a batch has run since this was last called. */
    boolean takeHasRun() {
        boolean was = hasRun;
        hasRun = false;
        return was;
    }
}
