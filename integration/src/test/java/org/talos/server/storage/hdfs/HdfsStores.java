// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.talos.devcluster.DevCluster;
import org.talos.server.config.Durability;
import org.talos.server.config.HdfsConfig;
import org.talos.server.config.LogConfig;
import org.talos.server.hadoop.ClientConfiguration;
import org.talos.server.runtime.SystemTime;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.journal.JournaledSegmentStore;

/** Stores of the tests, each in a directory of its own. */
final class HdfsStores {
    private HdfsStores() {}

    static HdfsConfig config(DevCluster cluster, String root) {
        return config(cluster.clientConfig().toString(), root);
    }

    static HdfsConfig config(String configDirectory, String root) {
        return new HdfsConfig(configDirectory, root, 2, 3, 1 << 20, Duration.ofSeconds(30), 8);
    }

    static LogConfig logConfig(Durability durability) {
        return new LogConfig(
                durability,
                1 << 20,
                Duration.ofHours(1),
                4096,
                1 << 20,
                0,
                Duration.ofMinutes(1),
                100,
                Duration.ofMinutes(1),
                1 << 20,
                64 << 10,
                8 << 20,
                "");
    }

    static JournaledSegmentStore open(HdfsConfig config, Durability durability) throws IOException, StorageException {
        return open(config, ClientConfiguration.hdfs(config), durability);
    }

    static JournaledSegmentStore open(HdfsConfig config, Configuration hadoop, Durability durability)
            throws IOException, StorageException {
        var unused = HdfsRoot.prepare(config);
        return HdfsSegmentStore.open(
                config, logConfig(durability), hadoop, SystemTime.ticker(), (bytes, write, sync) -> {});
    }
}
