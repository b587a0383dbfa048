// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import static org.talos.server.config.Checks.inRange;

/**
 * The choice of stores: {@code storage}. Immutable.
 *
 * @param logs the store of the messages
 * @param metadata the store of all rows: topics, owners, offsets, users
 * @param reserveBytes free bytes of this machine's disk below which nothing new is taken; of a small disk a twentieth
 */
public record StorageConfig(LogsIn logs, MetadataIn metadata, long reserveBytes) {
    public StorageConfig {
        inRange("reserveBytes", reserveBytes, 0, 1L << 40);
    }

    /** Returns whether one of the stores is in a Hadoop cluster. */
    public boolean onHadoop() {
        return logs == LogsIn.HDFS || metadata == MetadataIn.HBASE;
    }

    /** Returns whether one of the stores is on this machine's disk. */
    public boolean onThisMachine() {
        return logs == LogsIn.LOCAL || metadata == MetadataIn.ROCKSDB;
    }

    /** Where the partitions' logs are kept: {@code storage.logs}. */
    public enum LogsIn {
        /** Files of this machine, under the data directory. */
        LOCAL,
        /** Files of a Hadoop file system. */
        HDFS
    }

    /** Where everything but the logs is kept: {@code storage.metadata}. */
    public enum MetadataIn {
        /** A database of this machine, under the data directory. */
        ROCKSDB,
        /** A table of an HBase. */
        HBASE
    }
}
