// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.engine;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The servers of an experiment. Immutable.
 *
 * @param work folder for their data
 * @param options of their JVMs
 * @param set environment variables, without {@code TALOS_}
 */
public record ServerSetup(Path work, List<String> options, Map<String, String> set) {
    /** Copies options and variables. */
    public ServerSetup {
        options = List.copyOf(options);
        set = Map.copyOf(set);
    }
}
