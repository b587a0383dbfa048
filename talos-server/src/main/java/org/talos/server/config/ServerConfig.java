// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import static org.talos.server.config.Checks.inRange;
import static org.talos.server.config.Checks.matches;
import static org.talos.server.config.Checks.notBlank;

import java.time.Duration;
import org.talos.server.config.ClusterConfig.CoordinationBy;
import org.talos.server.config.StorageConfig.LogsIn;
import org.talos.server.config.StorageConfig.MetadataIn;

/**
 * The whole configuration of a server, as in conf/talos.yaml. Immutable; {@code toString} contains no secret.
 *
 * @param dataDirectory directory of the embedded stores
 * @param metricsLogInterval how often all metrics are written to the log; zero means never
 * @param management the management port
 * @param http the front end
 * @param console the console
 * @param auth authentication
 * @param dispatch the executor
 * @param storage the choice of stores
 * @param hdfs logs in HDFS
 * @param hbase metadata in HBase
 * @param cluster membership in a cluster
 * @param zookeeper the cluster's ZooKeeper
 * @param transfer requests between servers
 * @param kerberos login to HDFS and HBase
 * @param log the partitions' logs
 * @param service bounds of the services' calls
 * @param quota rates of clients
 * @param tracing spans of requests
 * @param metrics of topics and groups
 */
public record ServerConfig(
        String dataDirectory,
        Duration metricsLogInterval,
        ManagementConfig management,
        HttpConfig http,
        ConsoleConfig console,
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
        QuotaConfig quota,
        TracingConfig tracing,
        TopicMetricsConfig metrics) {
    /** The bytes of a put or a get in a frame besides its messages. */
    private static final long FRAME_ROOM_BYTES = 1 << 20;

    /**
     * The metrics of topics and their groups: {@code metrics}. Immutable.
     *
     * @param topics names of topics, separated by commas, each with {@code *} for any characters; empty for none
     * @param maxTopics of those at most so many are shown
     * @param interval how often they are measured, at most
     */
    public record TopicMetricsConfig(String topics, int maxTopics, Duration interval) {
        /** Checks every bound. */
        public TopicMetricsConfig {
            matches(
                    "metrics.topics",
                    topics,
                    "([A-Za-z0-9_*-]{1,80}(, ?[A-Za-z0-9_*-]{1,80}){0,99})?",
                    "up to 100 names of topics, with * for any characters, separated by commas; or nothing");
            inRange("metrics.maxTopics", maxTopics, 1, 10_000);
            inRange("metrics.interval", interval, Duration.ofMillis(100), Duration.ofHours(1));
        }
    }

    /** Checks what concerns several sections. */
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
            requireLeasesFitClocks(cluster.maxClockDifference(), service.workerTtl());
            notBlank("zookeeper.connect", zookeeper.connect());
            notBlank("transfer.keyFile", transfer.keyFile());
            long largest = Math.max(http.maxBodyBytes(), service.maxGetBytes());
            inRange("transfer.maxFrameBytes", transfer.maxFrameBytes(), largest + FRAME_ROOM_BYTES, 1 << 30);
        }
        inRange("service.maxGetBytes", service.maxGetBytes(), 1_024, http.maxRequestMemoryBytes());
    }

    /** A server that cannot compare its clock with ZooKeeper's for a while dates leases by one that may be so wrong. */
    private static void requireLeasesFitClocks(Duration difference, Duration ttl) {
        if (difference.compareTo(ttl) > 0) {
            throw new IllegalArgumentException("cluster.maxClockDifference: " + difference
                    + " (expected: at most service.workerTtl, " + ttl + "; lower the one or raise the other, so that"
                    + " no server's clock ends the leases of another's consumers)");
        }
    }

    /**
     * Spans of requests: {@code tracing}. Immutable.
     *
     * @param enabled whether there are any
     */
    public record TracingConfig(TracingWhen enabled) {}

    /** When requests have spans: {@code tracing.enabled}. */
    public enum TracingWhen {
        /** Where an agent of OpenTelemetry is. */
        AUTO,
        /** Always: without an agent, what clients send is kept with messages, and no span is made. */
        TRUE,
        /** Never. */
        FALSE
    }
}
