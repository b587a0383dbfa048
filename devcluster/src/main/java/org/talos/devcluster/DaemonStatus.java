// SPDX-License-Identifier: Apache-2.0
package org.talos.devcluster;

import java.nio.file.Path;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * The status of a daemon. Immutable.
 *
 * @param pid of its process, if that lives
 * @param port by which others reach it
 * @param log its log file
 */
public record DaemonStatus(Daemon daemon, State state, OptionalLong pid, int port, Path log) {
    /** The state of a daemon as seen from outside. */
    public enum State {
        /** Not started, or stopped. */
        STOPPED,
        /** Lives, and takes no connections yet. */
        STARTING,
        /** Lives and takes connections. */
        UP,
        /** Lives, and is held still by a signal. */
        PAUSED,
        /** Was started, and has ended without being asked to. */
        DEAD;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
