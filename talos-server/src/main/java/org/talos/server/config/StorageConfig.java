// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

/**
 * The choice of stores: {@code storage}. Immutable.
 *
 * @param logs the store of the messages
 * @param metadata the store of all rows: topics, owners, offsets, users
 */
public record StorageConfig(LogsIn logs, MetadataIn metadata) {
    /** Whether one of the stores is in a Hadoop cluster. */
    public boolean onHadoop() {
        return logs == LogsIn.HDFS || metadata == MetadataIn.HBASE;
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
