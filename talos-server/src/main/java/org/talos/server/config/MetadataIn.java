// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

/** Where everything but the logs is kept: {@code storage.metadata}. */
public enum MetadataIn {
    /** A database of this machine, under the data directory. */
    ROCKSDB,
    /** A table of an HBase. */
    HBASE
}
