// SPDX-License-Identifier: Apache-2.0
package org.talos.server.cluster;

import java.time.Instant;
import java.time.InstantSource;

/** The time by which servers of a cluster compare each other's timestamps. Thread-safe. */
public interface ClusterClock extends InstantSource {
    /**
     * Returns whether the time was compared with the cluster's just now, by a comparison that began after this machine
     * was last suspended. If not, a comparison begins, and a later call returns true; none waits. The clocks of a
     * machine that was suspended are behind until they are compared.
     */
    boolean isSure();

    /**
     * Returns whether the time was compared with the cluster's since this machine was last suspended, however long ago.
     * If not, it begins a comparison, and a later call returns true. Never waits.
     */
    boolean isCompared();

    /**
     * Returns a number that changes when this machine seems to have been suspended, which shows as a jump of the wall
     * clock against the ticker. A state that was valid for a duration by the ticker is out of date then. Setting the
     * wall clock has the same effect.
     */
    long suspensions();

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

            @Override
            public boolean isCompared() {
                return true;
            }

            /**
             * Returns the state of a single server: no other server changes it, and its own clock continues during a
             * suspension.
             */
            @Override
            public long suspensions() {
                return 0;
            }
        };
    }
}
