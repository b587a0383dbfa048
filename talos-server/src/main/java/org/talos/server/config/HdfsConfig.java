// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import static org.talos.server.config.Checks.inRange;
import static org.talos.server.config.Checks.matches;

import java.time.Duration;

/**
 * Logs in HDFS: {@code hdfs}. Read only if {@code storage.logs} says so. Immutable.
 *
 * @param configDirectory folder with the cluster's core-site.xml and hdfs-site.xml
 * @param root directory that contains everything, as a path or a URI
 * @param journals number of files that the puts of all partitions share
 * @param replication copies of each block, for topics that say nothing else
 * @param blockBytes size of the files' blocks
 * @param timeout of an operation
 * @param recoveriesAtOnce leases recovered at the same time when partitions are opened
 */
public record HdfsConfig(
        String configDirectory,
        String root,
        int journals,
        int replication,
        long blockBytes,
        Duration timeout,
        int recoveriesAtOnce) {
    private static final int CHECKSUM_BYTES = 512; // HDFS's checksum covers so many: a block has a multiple of them
    private static final String ROOT = "/.*|[a-z][a-z0-9+.-]*://[^/]*/.*";

    /** Checks every bound. */
    public HdfsConfig {
        matches("hdfs.root", root, ROOT, "a path such as /talos, or a URI such as hdfs://cluster/talos");
        inRange("hdfs.journals", journals, 1, 64);
        inRange("hdfs.replication", replication, 1, 512);
        inRange("hdfs.blockBytes", blockBytes, 64 << 10, 1L << 40);
        if (blockBytes % CHECKSUM_BYTES != 0) {
            throw new IllegalArgumentException(
                    "hdfs.blockBytes: " + blockBytes + " (expected: a multiple of " + CHECKSUM_BYTES + ")");
        }
        inRange("hdfs.timeout", timeout, Duration.ofSeconds(1), Duration.ofMinutes(10));
        inRange("hdfs.recoveriesAtOnce", recoveriesAtOnce, 1, 1_024);
    }
}
