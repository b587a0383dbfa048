// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.talos.devcluster.DevCluster;
import org.talos.server.config.HBaseConfig;
import org.talos.server.config.load.TestConfig;
import org.talos.server.hadoop.ClientConfiguration;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metrics.MetadataMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.runtime.time.SystemTime;

/** Stores of the tests, each on a table of its own. */
final class HBaseStores {
    private HBaseStores() {}

    /** Of a table that does not exist yet. */
    static HBaseConfig config(DevCluster cluster, Duration timeout) {
        return TestConfig.of(HBaseConfig.class)
                .with("configDirectory", cluster.clientConfig().toString())
                .with("table", "test-" + UUID.randomUUID())
                .with("timeout", timeout)
                .with("cacheAge", timeout)
                .create();
    }

    static HBaseTable connect(HBaseConfig config) throws IOException, MetadataException {
        return HBaseTable.connect(ClientConfiguration.hbase(config), config, SystemTime.ticker());
    }

    /** Makes the table if need be. */
    static MetadataStore open(HBaseConfig config) throws IOException, MetadataException {
        HBaseTable table = connect(config);
        var unused = table.create();
        return HBaseMetadataStore.open(table, SystemTime.ticker(), SystemTime.wallClock(), metrics());
    }

    /** Returns the port of the region server that has the table's first region. */
    static int portOf(HBaseConfig config) throws Exception {
        try (AsyncConnection connection = ConnectionFactory.createAsyncConnection(ClientConfiguration.hbase(config))
                .get(30, TimeUnit.SECONDS)) {
            return connection
                    .getRegionLocator(TableName.valueOf(config.table()))
                    .getRegionLocation(new byte[] {'x'})
                    .get(30, TimeUnit.SECONDS)
                    .getServerName()
                    .getPort();
        }
    }

    static MetadataMetrics metrics() {
        return new MetadataMetrics(new Metrics(SystemTime.ticker()));
    }
}
