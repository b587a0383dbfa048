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
}
