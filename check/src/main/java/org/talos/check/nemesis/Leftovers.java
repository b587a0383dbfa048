// SPDX-License-Identifier: Apache-2.0
package org.talos.check.nemesis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.talos.server.config.ServerConfig;
import org.talos.server.hadoop.ClientConfiguration;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.Row;
import org.talos.server.metadata.RowKey;
import org.talos.server.metadata.hbase.HBaseMetadataStore;
import org.talos.server.metadata.hbase.HBaseTable;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.topic.DeletedTopic;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.metadata.rows.topic.Topics;
import org.talos.server.metrics.MetadataMetrics;
import org.talos.server.metrics.Metrics;
import org.talos.server.runtime.time.SystemTime;

/**
 * Looks into the stores, past the servers, for what belongs to no topic: tombstones, rows of partitions, segments.
 * Confined: the main thread.
 */
final class Leftovers {
    private static final char PARTITIONS = 'p';
    private static final int MOST_ROWS = 100_000;
    private static final String SEGMENTS = "segments";

    private final Set<String> topics = new HashSet<>();
    private final Map<String, String> left = new TreeMap<>();

    private Leftovers(MetadataStore metadata) throws MetadataException {
        Topics rows = new Topics(metadata);
        for (Versioned<TopicRecord> each : rows.list()) {
            topics.add(each.value().topicId());
        }
        for (DeletedTopic each : rows.tombstones()) {
            note(each.topicId(), "its tombstone");
        }
        for (Row each : metadata.scan(RowKey.table(PARTITIONS), MOST_ROWS)) {
            note(each.key().text(0), "the row of a partition");
        }
    }

    private void note(String topicId, String what) {
        if (!topics.contains(topicId)) {
            left.merge(topicId, what, (one, other) -> one.equals(other) ? one : one + ", " + other);
        }
    }

    /** Returns the remains in HDFS and HBase, by the topics' ids. */
    static Map<String, String> onDaemons(ServerConfig config) throws IOException, MetadataException {
        Leftovers found;
        HBaseTable table =
                HBaseTable.connect(ClientConfiguration.hbase(config.hbase()), config.hbase(), SystemTime.ticker());
        try (HBaseMetadataStore metadata = HBaseMetadataStore.open(
                table,
                SystemTime.ticker(),
                SystemTime.wallClock(),
                new MetadataMetrics(new Metrics(SystemTime.ticker())))) {
            found = new Leftovers(metadata);
        }
        Configuration hadoop = ClientConfiguration.hdfs(config.hdfs());
        org.apache.hadoop.fs.Path segments =
                new org.apache.hadoop.fs.Path(config.hdfs().root(), SEGMENTS);
        try (FileSystem files = FileSystem.newInstance(hadoop)) {
            if (files.exists(segments)) {
                for (FileStatus each : files.listStatus(segments)) {
                    if (files.listFiles(each.getPath(), true).hasNext()) {
                        found.note(each.getPath().getName(), "segments");
                    }
                }
            }
        }
        return found.left;
    }

    /** On the disk of a server that does not run, by the topics' ids. */
    static Map<String, String> onDisk(ServerConfig config) throws IOException, MetadataException {
        Path data = Path.of(config.dataDirectory()).toAbsolutePath();
        Leftovers found;
        try (RocksDbMetadataStore metadata = RocksDbMetadataStore.open(data.resolve("metadata"))) {
            found = new Leftovers(metadata);
        }
        for (Path each : listed(data.resolve("logs").resolve(SEGMENTS))) {
            if (hasFiles(each)) {
                found.note(String.valueOf(each.getFileName()), SEGMENTS);
            }
        }
        return found.left;
    }

    private static List<Path> listed(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> found = Files.list(directory)) {
            return found.toList();
        }
    }

    private static boolean hasFiles(Path directory) throws IOException {
        try (Stream<Path> found = Files.walk(directory)) {
            return found.anyMatch(Files::isRegularFile);
        }
    }
}
