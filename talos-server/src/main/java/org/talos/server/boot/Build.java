// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import java.util.Map;
import java.util.Optional;

/** Version and environment of this server. Immutable. */
public final class Build {
    private Build() {}

    /** Version, Java, operating system and number of processors. */
    public static Map<String, String> info() {
        String version = Optional.ofNullable(Build.class.getPackage().getImplementationVersion())
                .orElse("development");
        return Map.of(
                "version",
                version,
                "java",
                Runtime.version().toString(),
                "system",
                System.getProperty("os.name") + " " + System.getProperty("os.arch"),
                "processors",
                Integer.toString(Runtime.getRuntime().availableProcessors()));
    }
}
