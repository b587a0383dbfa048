// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Gives a development cluster the times of a real one, so that failures take as long as there. Immutable. */
public final class HdfsAsShipped {
    /** The defaults of HDFS for what a development cluster otherwise has shorter. */
    private static final String SETTINGS = """
            dfs.heartbeat.interval=3
            dfs.namenode.heartbeat.recheck-interval=300000
            dfs.namenode.stale.datanode.interval=30000
            dfs.namenode.avoid.read.stale.datanode=false
            dfs.namenode.avoid.write.stale.datanode=false
            """;

    private HdfsAsShipped() {}

    /** @param directory of a development cluster that is not started yet */
    public static void configure(Path directory) throws IOException {
        Files.writeString(Files.createDirectories(directory).resolve("hdfs.properties"), SETTINGS);
    }
}
