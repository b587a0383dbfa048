// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import java.util.Locale;

/** The writers that are compared. */
public enum Way {
    /** Hadoop's client alone: a file for each thread, a flush for each record. */
    RAW,
    /** The server, acknowledging from journals that all partitions share. */
    JOURNAL,
    /** The server, acknowledging from a file for each partition. */
    PIPELINE;

    /** As it is written in configurations and tables. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
