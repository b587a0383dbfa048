// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.talos.server.auth.UserAdmin;
import org.talos.server.boot.Generation;
import org.talos.server.boot.StorePair;
import org.talos.server.boot.Stores;
import org.talos.server.config.ServerConfig;
import org.talos.server.config.StorageConfig.LogsIn;
import org.talos.server.config.StorageConfig.MetadataIn;
import org.talos.server.hadoop.Inventory;
import org.talos.server.hadoop.Report;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataStore;
import org.talos.server.metadata.rocksdb.RocksDbMetadataStore;
import org.talos.server.metadata.rows.StoreIdentity;
import org.talos.server.metadata.rows.Versioned;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.metadata.rows.topic.TopicRecord;
import org.talos.server.metadata.rows.topic.Topics;
import org.talos.server.metadata.rows.user.Users;
import org.talos.server.runtime.time.SystemTime;
import org.talos.server.storage.LogId;
import org.talos.server.storage.LogsIdentity;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.local.LocalInspection;

/**
 * Reports which parts of a stopped server's data directory are intact. Changes nothing, and keeps servers from starting
 * in the directory while it runs.
 *
 * <p>Confined: the calling thread. Every call blocks.
 */
public final class LocalDoctor {
    private static final String RESTORE =
            "put it back, or the whole data directory from one copy: docs/operations.md, 'A part that is missing'";

    private final Path data;
    private final SegmentReading reading;
    private final Report report = new Report();
    private final Inventory inventory;
    private boolean isCounted;

    private LocalDoctor(Path data, SegmentReading reading, int shown) {
        this.data = data;
        this.reading = reading;
        inventory = new Inventory("files of segments in " + data.resolve(Stores.LOGS), shown);
    }

    /**
     * How much of the segments is read. Immutable.
     *
     * @param all whether to read sealed segments as well, however large they are
     * @param progress receives the number of bytes read
     */
    public record SegmentReading(boolean all, Progress progress) {}

    /** Hears while segments are read. */
    @FunctionalInterface
    public interface Progress {
        /** Reports progress: bytes read, and bytes in all. */
        void read(long bytes, long of);
    }

    /**
     * Runs all checks on the data directory of a configuration.
     *
     * @param shown number of files to list by name
     */
    public static Doctor.Diagnosis examine(ServerConfig config, SegmentReading reading, int shown) {
        Path data = Path.of(config.dataDirectory()).toAbsolutePath();
        if (config.storage().logs() == LogsIn.LOCAL && config.storage().metadata() == MetadataIn.ROCKSDB) {
            LocalDoctor doctor = new LocalDoctor(data, reading, shown);
            CertificateChecks.run(config, doctor.report, SystemTime.wallClock());
            doctor.examine();
            return doctor.diagnosis();
        }
        LocalDoctor doctor = new LocalDoctor(data, reading, shown);
        doctor.report.fail(
                "stores",
                "not both on this machine: logs=" + config.storage().logs() + " metadata="
                        + config.storage().metadata(),
                "bin/talos doctor --config FILE looks at stores in a cluster");
        return doctor.diagnosis();
    }

    /** Runs all checks on a data directory. */
    public static Doctor.Diagnosis examine(Path data, SegmentReading reading, int shown) {
        LocalDoctor doctor = new LocalDoctor(data, reading, shown);
        doctor.examine();
        return doctor.diagnosis();
    }

    private Doctor.Diagnosis diagnosis() {
        return new Doctor.Diagnosis(report.all(), isCounted ? List.of(inventory) : List.of());
    }

    private void examine() {
        if (!Files.isDirectory(data.resolve(Stores.LOGS)) && !Files.exists(data.resolve(Stores.METADATA))) {
            report.fail("directory", "no server has used " + data, "look at dataDirectory, or --data");
            return;
        }
        report.check("directory", "stop the server first", checks -> {
            try (LocalInspection logs = LocalInspection.open(data.resolve(Stores.LOGS))) {
                checks.ok("directory", data + ", on which no server runs");
                examine(logs);
            }
        });
    }

    private void examine(LocalInspection logs) {
        report.check("journal list", RESTORE, checks -> {
            int listed = logs.listedJournalFiles();
            checks.ok("journal list", "journal files that must be there: " + listed);
        });
        Optional<LocalInspection.Contents> journal = journal(logs);
        boolean opened = report.check("metadata", RESTORE, checks -> {
            try (MetadataStore rows = RocksDbMetadataStore.openReadOnly(
                    data.resolve(Stores.METADATA), data.resolve(Stores.METADATA_NOTE))) {
                examine(logs, journal, rows);
            }
        });
        if (!opened) {
            report.warn("partitions", "not looked at, as their rows cannot be read", "");
        }
    }

    private Optional<LocalInspection.Contents> journal(LocalInspection logs) {
        List<LocalInspection.Contents> found = new ArrayList<>();
        report.check("journal", RESTORE, checks -> {
            LocalInspection.Contents contents = logs.journal();
            found.add(contents);
            checks.ok(
                    "journal",
                    "files=" + contents.files() + " bytes=" + contents.bytes() + " batches=" + contents.batches()
                            + " segments=" + contents.parts().size()
                            + (contents.unsynced() ? ", written without syncs" : ""));
        });
        return found.stream().findFirst();
    }

    private void examine(LocalInspection logs, Optional<LocalInspection.Contents> journal, MetadataStore rows)
            throws IOException, MetadataException, StorageException {
        Map<String, String> names = topics(rows);
        belongTogether(logs, rows);
        secrets(rows);
        for (Map.Entry<SegmentName, Path> each : logs.kept().entrySet()) {
            report.fail(
                    "segments",
                    logs.path(each.getKey()) + " is missing or too short; what the journal had of it is in "
                            + each.getValue(),
                    "put the segment's file back; the next start adds the rest");
        }
        LocalPartitionCheck partitions = new LocalPartitionCheck(logs, journal, names, reading, report);
        partitions.inventory(inventory);
        isCounted = true;
        new Partitions(rows)
                .list(
                        partitions::add,
                        (key, why) -> report.fail("row", "partition " + key + ": " + why.getMessage(), RESTORE));
        partitions.examine();
    }

    /** Names of topics by their ids. */
    private Map<String, String> topics(MetadataStore rows) throws MetadataException {
        Topics.Listing listing = new Topics(rows).listing();
        Map<String, String> names = new HashMap<>();
        for (Versioned<TopicRecord> topic : listing.topics()) {
            names.put(topic.value().topicId(), topic.value().name());
        }
        listing.unreadable()
                .forEach((topic, why) -> report.fail("row", "topic " + topic + ": " + why.getMessage(), RESTORE));
        report.ok("metadata", "has all noted writes; topics=" + names.size());
        return names;
    }

    private void belongTogether(LocalInspection logs, MetadataStore rows) {
        report.check("identity", "see docs/operations.md, 'Logs and rows that belong together'", checks -> {
            try (LogsIdentity identity = logs.identity()) {
                Optional<String> ofRows = new StoreIdentity(rows).find();
                if (ofRows.isEmpty() && identity.find().isEmpty()) {
                    checks.warn("identity", "logs and rows have none yet", "the next start gives it");
                } else {
                    checks.ok("identity", new StorePair(identity, rows, place()).check());
                }
            }
        });
        report.check("generation", RESTORE, checks -> {
            long generation = new Generation(logs.generation(), rows, place()).check();
            checks.ok("generation", "logs and rows are of one time: " + generation);
        });
    }

    /** Checks the key of the secrets. No server starts without it, and it cannot be created again. */
    private void secrets(MetadataStore rows) {
        report.check("secrets", RESTORE, checks -> {
            Users.Listing users = new Users(rows).listing();
            users.unreadable()
                    .forEach((user, why) -> checks.fail("row", "user " + user + ": " + why.getMessage(), RESTORE));
            Path key = data.resolve(UserAdmin.KEY_FILE);
            int there = users.users().size() + users.unreadable().size();
            if (there > 0 && !Files.isRegularFile(key)) {
                checks.fail("secrets", key + " is missing, the key of the secrets of users: " + there, RESTORE);
            } else {
                checks.ok("secrets", "their key is there; users=" + there);
            }
        });
    }

    private String place() {
        return data.resolve(Stores.METADATA).toString();
    }

    /** The log of a partition by the name of its topic. */
    static String name(Map<String, String> names, LogId log) {
        return names.getOrDefault(log.topicId(), log.topicId()) + "/" + log.partition();
    }
}
