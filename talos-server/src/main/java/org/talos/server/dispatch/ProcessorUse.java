// SPDX-License-Identifier: Apache-2.0
package org.talos.server.dispatch;

import java.util.Optional;

/** The numbers of a pool's workers that run on a processor, and that wait for one. Confined: one thread. */
interface ProcessorUse {
    /**
     * Means of a period. Immutable.
     *
     * @param onProcessor workers that ran on a processor
     * @param forProcessor workers that waited for one; NaN if it is unknown
     */
    record Use(double onProcessor, double forProcessor) {}

    /** Takes a sample of the workers; called several times in a period. */
    void sample();

    /** Begins a period, whatever was before. */
    void begin();

    /**
     * Ends a period and begins the next.
     *
     * @param nanos of the period
     * @param workers of the pool
     * @return nothing if nothing is known of any worker
     */
    Optional<Use> end(double nanos, int workers);
}
