// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import java.util.Map;
import org.talos.common.Release;

/** Version and environment of this server. Immutable. */
public final class Build {
    private Build() {}

    /** Version, Java, operating system and number of processors. */
    public static Map<String, String> info() {
        return Map.of(
                "version",
                Release.version(),
                "java",
                Runtime.version().toString(),
                "system",
                System.getProperty("os.name") + " " + System.getProperty("os.arch"),
                "processors",
                Integer.toString(Runtime.getRuntime().availableProcessors()));
    }
}
