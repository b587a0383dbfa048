// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot.setup;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.talos.server.boot.StorePair;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.StorageConfig.LogsIn;
import org.talos.server.config.StorageConfig.MetadataIn;
import org.talos.server.hadoop.ClientConfiguration;
import org.talos.server.hadoop.HadoopLogin;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.hbase.HBaseMetadataStore;
import org.talos.server.metadata.hbase.HBaseTable;
import org.talos.server.metrics.MetadataMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.storage.LogsIdentity;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.hdfs.HdfsRoot;

/**
 * Creates, once for all servers, the directory in HDFS and the table in HBase, and says that they are one store's.
 * Immutable; its calls block.
 */
public final class ClusterSetUp {
    private ClusterSetUp() {}

    /**
     * Creates missing parts and checks existing ones. May be repeated.
     *
     * @return the actions taken, one line each
     * @throws IOException HDFS cannot be reached, or refuses, or the existing directory cannot be used
     * @throws MetadataException HBase cannot be reached, or refuses, or the existing table cannot be used
     */
    public static List<String> prepare(ServerConfig config) throws IOException, MetadataException {
        List<String> done = new ArrayList<>();
        if (!config.storage().onHadoop()) {
            done.add("embedded stores: nothing to be made");
            return done;
        }
        try (HadoopLogin login = HadoopLogin.open(config)) {
            done.add("as user " + login.user());
            if (config.storage().logs() == LogsIn.HDFS) {
                done.add("HDFS: " + HdfsRoot.prepare(config.hdfs()));
            }
            if (config.storage().metadata() == MetadataIn.HBASE) {
                done.add("HBase: " + table(config));
            }
            if (config.storage().logs() == LogsIn.HDFS && config.storage().metadata() == MetadataIn.HBASE) {
                done.add("identity of both: " + identity(config, true));
            }
        }
        return done;
    }

    /**
     * The identity that logs in HDFS and rows in HBase have in common, as the servers check it.
     *
     * @param give whether they are given one if both have none: from then on a server refuses either with another
     */
    public static String identity(ServerConfig config, boolean give) throws IOException, MetadataException {
        HBaseTable table =
                HBaseTable.connect(ClientConfiguration.hbase(config.hbase()), config.hbase(), SystemTime.ticker());
        MetadataMetrics discarded = new MetadataMetrics(new Metrics(SystemTime.ticker()));
        try (LogsIdentity logs = HdfsRoot.identity(config.hdfs());
                MetadataStore rows =
                        HBaseMetadataStore.open(table, SystemTime.ticker(), SystemTime.wallClock(), discarded)) {
            StorePair pair =
                    new StorePair(logs, rows, "the table " + config.hbase().table());
            return give ? pair.checkOrGive(StorePair::newIdentity) : pair.check();
        } catch (StorageException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static String table(ServerConfig config) throws IOException, MetadataException {
        String name = config.hbase().table();
        try (HBaseTable table =
                HBaseTable.connect(ClientConfiguration.hbase(config.hbase()), config.hbase(), SystemTime.ticker())) {
            return table.create() ? "made the table " + name : "the table is there already, and right: " + name;
        }
    }
}
