// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.hdfs;

import java.util.Locale;

/** The writers that are compared. */
public enum Way {
    /** Hadoop's client alone: a file for each thread, a flush for each record. */
    RAW,
    /** The same without a flush before the file's end: the most that HDFS takes, and the least that a byte costs it. */
    BULK,
    /** The server, acknowledging from journals that all partitions share. */
    JOURNAL,
    /** The server, acknowledging from a file for each partition. */
    PIPELINE;

    /** Whether it puts to a server; else Hadoop's client writes by itself. */
    boolean hasServer() {
        return this == JOURNAL || this == PIPELINE;
    }

    /** As it is written in configurations and tables. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
