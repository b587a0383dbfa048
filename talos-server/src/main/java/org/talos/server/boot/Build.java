// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import java.util.Map;
import org.talos.common.Release;

/** What runs here. Immutable. */
public final class Build {
    private Build() {}

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
