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
    PIPELINE,
    /**
     * Hadoop's client alone, without a flush before a file's end: the most that HDFS takes, the least a byte costs it.
     */
    BULK;

    /** Returns whether it puts to a server; else Hadoop's client writes by itself. */
    boolean hasServer() {
        return this == JOURNAL || this == PIPELINE;
    }

    /** As it is written on command lines and in tables. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
