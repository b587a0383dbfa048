// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.experiment;

import org.talos.bench.variant.VariantServer;

/** The storage of an experiment's servers. */
enum Storage {
    /** The local store, held for as long as a real HDFS took. */
    HDFS("hdfs-like", DelayedServer.class),
    /** The local store as it is. */
    LOCAL("local", VariantServer.class),
    /** A real HDFS: several servers, and metadata in HBase. */
    CLUSTER("cluster", VariantServer.class),
    /** The same, held as much longer as {@link #HDFS} is: workers wait, and the processors do not decide. */
    SLOW_CLUSTER("slow cluster", DelayedServer.class);

    private final String label;
    private final Class<?> mainClass;

    Storage(String label, Class<?> mainClass) {
        this.label = label;
        this.mainClass = mainClass;
    }

    Class<?> mainClass() {
        return mainClass;
    }

    /** Returns whether several servers share it. */
    boolean isShared() {
        return this == CLUSTER || this == SLOW_CLUSTER;
    }

    String label() {
        return label;
    }
}
