// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.kills;

import java.time.Duration;

/**
 * The settings of the load and the kills of a run. Immutable.
 *
 * @param rounds how often the server is killed
 * @param longestLoad between a start and the next kill, 1 s at least
 * @param size of a message in bytes
 * @param heap of the server, as the JVM's option has it
 */
record KillSettings(
        int rounds, Duration longestLoad, int partitions, Writers writers, int size, String heap, long seed) {
    /** The number of writers over each protocol. Immutable. */
    record Writers(int rest, int sdk) {
        int all() {
            return rest + sdk;
        }
    }
}
