// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import static org.talos.server.config.Checks.inRange;
import static org.talos.server.config.Checks.matches;
import static org.talos.server.config.Checks.notBlank;

import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.talos.server.config.ClusterConfig.CoordinationBy;
import org.talos.server.config.StorageConfig.LogsIn;
import org.talos.server.config.StorageConfig.MetadataIn;

/**
 * The whole configuration of a server, as in conf/talos.yaml. Immutable; {@code toString} contains no secret.
 *
 * @param dataDirectory directory of the embedded stores
 * @param metricsLogInterval interval at which metrics are written to the log; zero means never
 * @param management the management port
 * @param http the front end for HTTP
 * @param frontEnds the other front ends
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
        FrontEndsConfig frontEnds,
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
     * @param maxTopics largest number of topics that are shown
     * @param interval shortest interval between two measurements
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

    /** Checks constraints between several sections. */
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
            requireLeasesFitClocks(cluster.maxClockDifference(), service.memberTtl());
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
                    + " (expected: at most service.memberTtl, " + ttl + "; lower the one or raise the other, so that"
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
        /**
         * Returns true: without an agent, the trace headers of clients are kept with messages, and no span is created.
         */
        TRUE,
        /** Never. */
        FALSE
    }

    /**
     * Front ends besides HTTP and their settings: {@code frontEnds}. Each front end checks its own settings.
     *
     * <p>Immutable. The text names the front ends and contains no setting, because a setting may be a secret.
     */
    public static final class FrontEndsConfig {
        private static final String ENABLED = "enabled";
        private static final String NAME = "[a-z][a-z0-9]{0,31}";

        private final SortedMap<String, SortedMap<String, String>> byName = new TreeMap<>();

        private FrontEndsConfig() {}

        /**
         * Returns the settings by name.
         *
         * @param texts values by {@code <name>.<key>}; the case of a key does not matter
         * @throws IllegalArgumentException a name or {@code enabled} is wrong
         */
        public static FrontEndsConfig of(Map<String, String> texts) {
            FrontEndsConfig config = new FrontEndsConfig();
            texts.forEach(config::add);
            for (Map.Entry<String, SortedMap<String, String>> each : config.byName.entrySet()) {
                String enabled = each.getValue().getOrDefault(ENABLED, "false");
                matches("frontEnds." + each.getKey() + "." + ENABLED, enabled, "true|false", "true or false");
            }
            return config;
        }

        private void add(String path, String value) {
            int dot = path.indexOf('.');
            String name = dot < 0 ? path : path.substring(0, dot);
            matches("frontEnds", name, NAME, "names of front ends, of lower-case letters and digits");
            if (dot < 0) {
                throw new IllegalArgumentException("frontEnds." + name + ": " + value
                        + " (expected: keys such as frontEnds." + name + "." + ENABLED + ")");
            }
            SortedMap<String, String> settings =
                    byName.computeIfAbsent(name, each -> new TreeMap<>(String.CASE_INSENSITIVE_ORDER));
            @Nullable String earlier = settings.put(path.substring(dot + 1), value);
            if (earlier != null) {
                throw new IllegalArgumentException("frontEnds." + path + ": given twice (expected: one value)");
            }
        }

        /** Returns the names of all front ends that are configured, enabled or not. */
        public Set<String> names() {
            return Collections.unmodifiableSet(byName.keySet());
        }

        /** Returns whether the front end is on; it is off unless the configuration enables it. */
        public boolean isEnabled(String name) {
            return "true".equals(all(name).get(ENABLED));
        }

        /** Returns the settings of a front end by key, without {@code enabled}. The case of a key does not matter. */
        public SortedMap<String, String> settings(String name) {
            SortedMap<String, String> settings = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            settings.putAll(all(name));
            settings.remove(ENABLED);
            return Collections.unmodifiableSortedMap(settings);
        }

        private Map<String, String> all(String name) {
            return byName.getOrDefault(name, Collections.emptySortedMap());
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof FrontEndsConfig config && byName.equals(config.byName);
        }

        @Override
        public int hashCode() {
            return byName.keySet().hashCode(); // keys that differ in their case are equal
        }

        @Override
        public String toString() {
            return byName.keySet().toString();
        }
    }
}
