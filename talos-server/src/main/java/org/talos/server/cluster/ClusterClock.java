// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster;

import java.time.Instant;
import java.time.InstantSource;

/** The time by which servers of a cluster compare each other's timestamps. Thread-safe. */
public interface ClusterClock extends InstantSource {
    /**
     * Returns whether the time was compared with the cluster's just now. If not, a comparison begins, and a later call
     * returns true; none waits. A machine that was suspended does not know it: its clocks are behind until they are
     * compared.
     */
    boolean isSure();

    /** Returns the clock of a server without others. */
    static ClusterClock own(InstantSource clock) {
        return new ClusterClock() {
            @Override
            public Instant instant() {
                return clock.instant();
            }

            @Override
            public boolean isSure() {
                return true;
            }
        };
    }
}
