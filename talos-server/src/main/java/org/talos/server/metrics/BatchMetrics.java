// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics;

import org.talos.server.metrics.histogram.BatchRecorder;

/**
 * The measurements of the batches of one worker, or of all that run on their callers' threads.
 *
 * <p>Confined: the worker, its threads one after another; {@link DispatchMetrics#callers} is thread-safe.
 */
public final class BatchMetrics {
    private final BatchRecorder recorder;
    private volatile boolean hasRun;

    BatchMetrics(BatchRecorder recorder) {
        this.recorder = recorder;
    }

    /** Records a task's start. */
    public void started(long waitedNanos) {
        recorder.started(waitedNanos);
    }

    /** Records a batch that has run. */
    public void ran(int tasks, long nanos) {
        recorder.ran(tasks, nanos);
        if (!hasRun) { // reading is cheap, setting is not
            hasRun = true;
        }
    }

    /** Returns whether a batch has run since this was last called. */
    boolean takeHasRun() {
        boolean was = hasRun;
        hasRun = false;
        return was;
    }
}
