// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.floor;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The settings of the floor benchmark. Immutable.
 *
 * @param partitions puts in flight, each to its own partition
 * @param size bytes of a message
 * @param work folder for the servers' data
 * @param serverOptions of the servers' JVMs, the same for all cases
 */
record FloorSettings(
        int partitions,
        int size,
        Duration warmUp,
        Duration measured,
        Path work,
        List<String> serverOptions,
        long seed) {}
