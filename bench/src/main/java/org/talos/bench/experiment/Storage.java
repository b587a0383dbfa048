// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

/** What the server of an experiment keeps its logs in. */
enum Storage {
    /** The local store, held for as long as a real HDFS took. */
    HDFS(DelayedServer.class),
    /** The local store as it is. */
    LOCAL(org.talos.server.Main.class);

    private final Class<?> mainClass;

    Storage(Class<?> mainClass) {
        this.mainClass = mainClass;
    }

    Class<?> mainClass() {
        return mainClass;
    }

    String label() {
        return this == HDFS ? "hdfs-like" : "local";
    }
}
