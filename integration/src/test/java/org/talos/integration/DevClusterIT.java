// SPDX-License-Identifier: Apache-2.0
package org.talos.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.talos.devcluster.DevCluster;
import org.talos.devcluster.WithDevCluster;

/** The development cluster holds what it is given. */
@Tag("full") // daemons
@Tag("storage")
@WithDevCluster
@Timeout(240)
class DevClusterIT {
    private static final String HDFS = "org.apache.hadoop.fs.FsShell";
    private static final String HBASE = "org.talos.devcluster.daemon.HBaseTool";

    private final DevCluster cluster;

    DevClusterIT(DevCluster cluster) {
        this.cluster = cluster;
    }

    @Test
    void fileIsThereWithThreeReplicas(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "kept by three DataNodes");

        cluster.run(HDFS, "-put", file.toString(), "/devcluster-it");

        assertThat(cluster.run(HDFS, "-cat", "/devcluster-it")).isEqualTo("kept by three DataNodes");
        assertThat(cluster.run(HDFS, "-stat", "%r", "/devcluster-it")).isEqualTo("3");
    }

    @Test
    void rowIsThere() throws Exception {
        cluster.run(HBASE, "create", "devcluster-it");

        cluster.run(HBASE, "put", "devcluster-it", "row", "value");

        assertThat(cluster.run(HBASE, "get", "devcluster-it", "row")).isEqualTo("value");
    }

    @Test
    void programThatFailsIsAnError() {
        assertThatThrownBy(() -> cluster.run(HDFS, "-cat", "/nothing"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("No such file or directory");
    }
}
