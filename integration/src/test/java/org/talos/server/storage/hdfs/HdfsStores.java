// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.talos.devcluster.DevCluster;
import org.talos.server.config.Durability;
import org.talos.server.config.HdfsConfig;
import org.talos.server.config.LogConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.hadoop.ClientConfiguration;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.journal.JournaledSegmentStore;

/** Stores of the tests, each in a directory of its own. */
final class HdfsStores {
    private HdfsStores() {}

    static HdfsConfig config(DevCluster cluster, String root) {
        return config(cluster.clientConfig().toString(), root);
    }

    static HdfsConfig config(String configDirectory, String root) {
        return TestConfig.of(HdfsConfig.class)
                .with("configDirectory", configDirectory)
                .with("root", root)
                .with("journals", 2)
                .with("replication", 3)
                .with("blockBytes", 1 << 20)
                .with("recoveriesAtOnce", 8)
                .create();
    }

    static LogConfig logConfig(Durability durability) {
        return TestConfig.of(LogConfig.class)
                .with("durability", durability)
                .with("segmentBytes", 1 << 20)
                .with("indexIntervalBytes", 4096)
                .with("tailCacheBytes", 1 << 20)
                .with("dedupeWindow", 100)
                .with("dedupeAge", Duration.ofMinutes(1))
                .with("dedupeBytes", 1 << 20)
                .with("journalFileBytes", 64 << 10)
                .with("maxUnwrittenBytes", 8 << 20)
                .create();
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
