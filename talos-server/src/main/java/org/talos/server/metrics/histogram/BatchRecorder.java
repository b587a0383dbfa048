// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metrics.histogram;

/** Records what is measured of batches of tasks. Confined: one thread, unless who makes it says otherwise. */
public interface BatchRecorder {
    /** Records a task's start; a wait below 0 as 0. */
    void started(long waitedNanos);

    /** Records a batch that has run; a time below 0 as 0. */
    void ran(int tasks, long nanos);
}
