// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.load;

import java.util.List;

/** Options of a measured server's JVM: those of {@code bin/talos server}, but for a heap of one size. */
public final class ServerJvm {
    private ServerJvm() {}

    /**
     * The options.
     *
     * @param size of the heap, such as {@code 2g}
     */
    public static List<String> withHeap(String size) {
        return List.of("-Xms" + size, "-Xmx" + size, "-XX:MaxGCPauseMillis=20");
    }
}
