// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

/**
 * Where this server keeps what must survive: {@code storage}. Immutable.
 *
 * @param logs the messages
 * @param metadata topics, owners, offsets, users: all that is a row
 */
public record StorageConfig(LogsIn logs, MetadataIn metadata) {
    /** Whether anything is kept in a cluster of Hadoop's. */
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
