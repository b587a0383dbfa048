// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import static org.talos.server.config.Checks.inRange;
import static org.talos.server.config.Checks.notBlank;

import java.time.Duration;
import org.talos.server.config.ClusterConfig.CoordinationBy;
import org.talos.server.config.StorageConfig.LogsIn;
import org.talos.server.config.StorageConfig.MetadataIn;

/**
 * Everything that one server is told: the whole of conf/talos.yaml. Immutable; its text has no secret.
 *
 * @param dataDirectory where an embedded server keeps everything
 * @param metricsLogInterval how often all metrics are written to the log; zero means never
 * @param management the port for operators
 * @param http the front end
 * @param auth authentication
 * @param dispatch the executor
 * @param storage which stores
 * @param hdfs logs in HDFS
 * @param hbase metadata in HBase
 * @param cluster this server among others
 * @param zookeeper the ZooKeeper that they share
 * @param transfer requests between servers
 * @param kerberos who this server is to both
 * @param log the partitions' logs
 * @param service what the services promise
 * @param quota how much clients may do
 */
public record ServerConfig(
        String dataDirectory,
        Duration metricsLogInterval,
        ManagementConfig management,
        HttpConfig http,
        AuthConfig auth,
        DispatchConfig dispatch,
        StorageConfig storage,
        HdfsConfig hdfs,
        HBaseConfig hbase,
        ClusterConfig cluster,
        ZooKeeperConfig zookeeper,
        TransferConfig transfer,
        KerberosConfig kerberos,
        LogConfig log,
        ServiceConfig service,
        QuotaConfig quota) {
    /** Checks what is not checked below. */
    public ServerConfig {
        notBlank("dataDirectory", dataDirectory);
        inRange("metricsLogInterval", metricsLogInterval, Duration.ZERO, Duration.ofDays(1));
        if (storage.logs() == LogsIn.HDFS) {
            notBlank("hdfs.configDirectory", hdfs.configDirectory());
        }
        if (storage.metadata() == MetadataIn.HBASE) {
            notBlank("hbase.configDirectory", hbase.configDirectory());
        }
        if (cluster.coordination() == CoordinationBy.ZOOKEEPER) {
            notBlank("zookeeper.connect", zookeeper.connect());
            notBlank("transfer.keyFile", transfer.keyFile());
        }
    }
}
