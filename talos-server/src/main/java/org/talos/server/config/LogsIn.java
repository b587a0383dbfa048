// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

/** Where the partitions' logs are kept: {@code storage.logs}. */
public enum LogsIn {
    /** Files of this machine, under the data directory. */
    LOCAL,
    /** Files of a Hadoop file system. */
    HDFS
}
