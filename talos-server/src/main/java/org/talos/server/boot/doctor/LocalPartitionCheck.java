// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot.doctor;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.talos.server.hadoop.Inventory;
import org.talos.server.hadoop.Report;
import org.talos.server.log.SegmentScan.Inspection;
import org.talos.server.metadata.rows.partition.Partitions;
import org.talos.server.metadata.rows.partition.SegmentRecord;
import org.talos.server.metadata.rows.partition.SegmentRecord.State;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.local.LocalInspection;
import org.talos.server.storage.local.LocalInspection.Contents;
import org.talos.server.storage.local.LocalInspection.Part;

/**
 * Compares partitions' rows with their segment files and with their entries in the journal, as the next start would
 * find them.
 *
 * <p>Confined: the calling thread.
 */
final class LocalPartitionCheck {
    /** The bytes that are read in some seconds. */
    private static final long READ_UNASKED_BYTES = 1L << 30;

    private static final String RESTORE =
            "put its file back from the newest copy there is; without it the partition is not served";

    private final LocalInspection logs;
    private final Optional<Contents> journal;
    private final Map<String, String> topics;
    private final LocalDoctor.SegmentReading reading;
    private final Report report;
    private final Map<LogId, Map<SegmentName, Long>> files;
    private final Set<SegmentName> kept;
    private final List<Partitions.Listed> rows = new ArrayList<>();
    private boolean readsSealed;
    private long toRead;
    private long read;

    LocalPartitionCheck(
            LocalInspection logs,
            Optional<Contents> journal,
            Map<String, String> topics,
            LocalDoctor.SegmentReading reading,
            Report report)
            throws IOException {
        this.logs = logs;
        this.journal = journal;
        this.topics = topics;
        this.reading = reading;
        this.report = report;
        files = logs.segments();
        kept = logs.kept().keySet();
    }

    /** Adds all files. */
    void inventory(Inventory inventory) {
        files.forEach((log, segments) -> segments.forEach((name, bytes) -> inventory.add(
                "segments",
                new Inventory.Item(
                        logs.path(name).toString(),
                        bytes,
                        String.format(Locale.ROOT, "%12d bytes  %s", bytes, logs.path(name))))));
    }

    /** Adds a partition's row. */
    void add(Partitions.Listed row) {
        rows.add(row);
    }

    /** Adds a line for each partition, and for files that no row names. */
    void examine() {
        plan();
        Set<LogId> known = new HashSet<>();
        for (Partitions.Listed row : rows) {
            LogId log = new LogId(row.topicId(), row.partition());
            known.add(log);
            String name = LocalDoctor.name(topics, log);
            report.check(name, RESTORE, checks -> new One(log, row, name).examine());
        }
        files.forEach((log, segments) -> {
            if (!known.contains(log) && !segments.isEmpty()) {
                report.warn(
                        LocalDoctor.name(topics, log),
                        "no row names this partition: files=" + segments.size() + " bytes=" + sum(segments),
                        topics.containsKey(log.topicId()) ? RESTORE : "of a deleted topic; may be deleted");
            }
        });
    }

    private void plan() {
        long all = files.values().stream().mapToLong(LocalPartitionCheck::sum).sum();
        long unsealed = rows.stream()
                .flatMap(row -> row.row().segments().stream()
                        .filter(each -> !each.sealed())
                        .map(each -> name(new LogId(row.topicId(), row.partition()), each)))
                .mapToLong(this::length)
                .sum();
        readsSealed = reading.all() || all <= READ_UNASKED_BYTES;
        toRead = readsSealed ? all : unsealed;
        String bytes = "entries are read of " + toRead + " of " + all + " bytes";
        if (readsSealed) {
            report.ok("segments", bytes);
        } else {
            report.warn("segments", bytes, "--full reads sealed segments too");
        }
    }

    private static long sum(Map<SegmentName, Long> lengths) {
        return lengths.values().stream().mapToLong(Long::longValue).sum();
    }

    private static SegmentName name(LogId log, SegmentRecord segment) {
        return new SegmentName(log, segment.baseOffset(), segment.epoch());
    }

    private long length(SegmentName name) {
        return files.getOrDefault(name.log(), Map.of()).getOrDefault(name, 0L);
    }

    private Inspection inspect(SegmentName name, long length) throws StorageException {
        return Inspection.of(
                (segment, position, target) -> {
                    int bytes = logs.read(segment, position, target);
                    read += bytes;
                    reading.progress().read(read, toRead);
                    return bytes;
                },
                name,
                length);
    }

    /** One partition, segment by segment. Confined: as the rest. */
    private final class One {
        private final LogId log;
        private final Partitions.Listed row;
        private final String what;
        private final Map<SegmentName, Long> held;
        private final Set<String> problems = new TreeSet<>();
        private final Set<String> remarks = new TreeSet<>();
        private long expected; // offset, or -1: the journal has entries of the segment before
        private long bytes;

        One(LogId log, Partitions.Listed row, String what) {
            this.log = log;
            this.row = row;
            this.what = what;
            held = files.getOrDefault(log, Map.of());
            expected = row.row().startOffset();
        }

        void examine() throws IOException, StorageException {
            Map<SegmentName, SegmentRecord> named = new HashMap<>();
            for (SegmentRecord segment : row.row().segments()) {
                SegmentName name = name(log, segment);
                named.put(name, segment);
                if (segment.state() != State.PLANNED && !kept.contains(name)) {
                    examine(name, segment);
                } else if (kept.contains(name)) {
                    problems.add("segment " + name + " is missing or too short");
                    expected = -1;
                }
            }
            held.keySet().stream()
                    .filter(name -> !named.containsKey(name)
                            && name.baseOffset() >= row.row().startOffset())
                    .forEach(name -> remarks.add("no row names " + logs.path(name)));
            tell();
        }

        private void tell() {
            String found = "offsets=" + row.row().startOffset() + ".." + (expected < 0 ? "(in the journal)" : expected)
                    + " segments=" + row.row().segments().size() + " bytes=" + bytes;
            if (!problems.isEmpty()) {
                report.fail(what, String.join("; ", problems), RESTORE);
            } else if (!remarks.isEmpty()) {
                report.warn(what, found + ": " + String.join("; ", remarks), "");
            } else {
                report.ok(what, found);
            }
        }

        private Optional<Part> part(SegmentName name) {
            return journal.map(contents -> contents.parts().get(name));
        }

        private void examine(SegmentName name, SegmentRecord segment) throws IOException, StorageException {
            if (segment.marksGap()) {
                join(name);
                expected = segment.endOffset();
                remarks.add("offsets " + name.baseOffset() + " to " + (segment.endOffset() - 1)
                        + " have no message: a power failure may have deleted their messages");
                return;
            }
            Long length = held.get(name);
            Optional<Part> part = part(name);
            if (length == null) {
                missing(name, segment, part);
                return;
            }
            bytes += length;
            if (part.isPresent() && part.get().from() > length) {
                problems.add("segment " + name + " has " + length + " bytes, and the journal continues at "
                        + part.get().from());
                expected = -1;
                return;
            }
            boolean empty = isEmpty(segment, length, part);
            if (!empty) {
                join(name);
            }
            if (segment.sealed()) {
                sealed(name, segment, length, part);
            } else if (!empty) {
                unsealed(name, length, part);
            }
        }

        private boolean isEmpty(SegmentRecord segment, long length, Optional<Part> part) {
            return !segment.sealed() && length == 0 && part.isEmpty();
        }

        private void join(SegmentName name) {
            if (expected >= 0 && name.baseOffset() != expected) {
                problems.add("segment " + name + " begins at " + name.baseOffset() + " (expected: " + expected + ")");
            }
        }

        private void missing(SegmentName name, SegmentRecord segment, Optional<Part> part) {
            if (part.isPresent() && part.get().from() == 0) {
                remarks.add("segment " + name + " is missing; the next start makes it again from the journal");
                expected = segment.sealed() ? segment.endOffset() : -1;
            } else if (segment.state() != State.OPEN || part.isPresent()) {
                problems.add("segment " + name + " is missing");
                expected = segment.sealed() ? segment.endOffset() : -1;
            }
        }

        private void sealed(SegmentName name, SegmentRecord segment, long length, Optional<Part> part)
                throws StorageException {
            expected = segment.endOffset();
            long after = Math.max(length, part.map(Part::end).orElse(0L));
            if (after < segment.bytes()) {
                problems.add("segment " + name + " has " + after + " bytes (expected: " + segment.bytes() + ")");
            } else if (readsSealed && part.isEmpty()) {
                Inspection found = inspect(name, segment.bytes());
                if (found.endOffset() != segment.endOffset() || found.bytes() != segment.bytes()) {
                    problems.add(damage(name, found));
                }
            }
        }

        private void unsealed(SegmentName name, long length, Optional<Part> part) throws IOException, StorageException {
            Inspection found = inspect(name, length);
            boolean inJournal = part.isPresent() && part.get().from() <= found.bytes();
            expected = part.isPresent() && part.get().end() > found.bytes() ? -1 : found.endOffset();
            if (found.misplaced().isPresent() || (found.followed() && !inJournal)) {
                damaged(name, found);
            } else if (found.bytes() < length && !inJournal) {
                damaged(name, found);
            }
        }

        private void damaged(SegmentName name, Inspection found) throws IOException, StorageException {
            if (found.misplaced().isEmpty() && mayHaveHoles(name, found.bytes())) {
                remarks.add("a power failure may have deleted the messages behind offset " + found.endOffset());
            } else {
                problems.add(damage(name, found));
            }
        }

        private boolean mayHaveHoles(SegmentName name, long position) throws IOException, StorageException {
            Long wholeTo = logs.wholeTo(Set.of(name)).get(name);
            if (wholeTo != null) {
                return position >= wholeTo;
            }
            boolean lastRun = journal.filter(Contents::unsynced).isPresent() && !logs.hasStayedUp();
            Optional<Part> part = part(name);
            return lastRun && (part.isPresent() ? position >= part.get().end() : !logs.wasSynced(name));
        }

        private String damage(SegmentName name, Inspection found) {
            return "segment " + name + " is damaged at position " + found.bytes() + ", offset " + found.endOffset()
                    + found.misplaced()
                            .map(offset -> ", where offset " + offset + " stands")
                            .orElse("");
        }
    }
}
