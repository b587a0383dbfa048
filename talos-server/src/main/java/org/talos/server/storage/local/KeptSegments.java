// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.JournalFormat;
import org.talos.server.storage.journal.JournalFormat.Item;
import org.talos.server.storage.journal.JournalReplay;
import org.talos.server.storage.journal.StoredFile;

/**
 * The journals' parts of segments whose files were missing, or shorter than before, when journals were replayed. A part
 * is kept until the file has been put back, and then added to it. Otherwise the file of an earlier day would pass for
 * the whole segment. Each is a journal file of its own, with the items of the one segment.
 *
 * <p>Thread-safe; only the opening thread changes the set, except for deletions.
 */
final class KeptSegments {
    private static final Logger LOG = LoggerFactory.getLogger(KeptSegments.class);
    private static final long NUMBER = 1; // of the only journal file

    private final Disk disk;
    private final DiskPaths paths;
    private final Set<SegmentName> names = ConcurrentHashMap.newKeySet();
    private final Map<SegmentName, Keeping> begun = new HashMap<>();

    private KeptSegments(Disk disk, DiskPaths paths) {
        this.disk = disk;
        this.paths = paths;
    }

    /** Finds the kept segments. */
    static KeptSegments find(Disk disk, DiskPaths paths) throws IOException {
        KeptSegments kept = new KeptSegments(disk, paths);
        for (Path file : disk.list(paths.kept())) {
            DiskPaths.keptSegment(file).ifPresent(kept.names::add);
        }
        return kept;
    }

    /** Adds the kept parts to the files that are back, and long enough. May be repeated after a crash. */
    void putBack() throws IOException, StorageException {
        for (SegmentName name : List.copyOf(names)) {
            if (disk.exists(paths.segment(name)) && isPutBack(name)) {
                LOG.info("segment restored from its journal segment={}", name);
                forget(name);
            }
        }
    }

    private boolean isPutBack(SegmentName name) throws IOException, StorageException {
        try (ReplayedFile file = new ReplayedFile(disk.open(paths.segment(name)))) {
            boolean[] joins = {true};
            new JournalReplay(new KeptFile(paths.kept(name)), item -> {
                        joins[0] = joins[0] && file.isJoinedBy(item);
                        if (joins[0]) {
                            file.apply(item);
                        }
                    })
                    .run();
            file.sync();
            return joins[0];
        }
    }

    /** The one file. Immutable. */
    private final class KeptFile implements JournalReplay.Source {
        private final Path path;

        KeptFile(Path path) {
            this.path = path;
        }

        @Override
        public List<Long> numbers() {
            return List.of(NUMBER);
        }

        @Override
        public StoredFile open(long number) throws IOException {
            return disk.open(path);
        }

        @Override
        public String name(long number) {
            return path.toString();
        }
    }

    /** Returns whether items of a segment are being kept in this replay. */
    boolean isKeeping(SegmentName name) {
        return begun.containsKey(name);
    }

    /** Keeps an item of a replay. The later deletion of its segment drops the items before it. */
    void keep(Item item) throws IOException, StorageException {
        Keeping keeping = begun.get(item.segment());
        if (keeping == null) {
            keeping = new Keeping(item.segment());
            begun.put(item.segment(), keeping);
            addKept(keeping);
        }
        keeping.add(item);
    }

    /** A start that ended while it deleted the journal has kept parts that this one no longer finds in the journal. */
    private void addKept(Keeping keeping) throws IOException, StorageException {
        if (names.contains(keeping.name)) {
            new JournalReplay(new KeptFile(paths.kept(keeping.name)), keeping::add).run();
        }
    }

    /** Makes the kept parts durable, at the end of a replay. */
    void finish() throws IOException {
        for (Map.Entry<SegmentName, Keeping> each : begun.entrySet()) {
            if (each.getValue().finish()) {
                names.add(each.getKey());
            }
        }
        begun.clear();
    }

    /** Closes the files that a failed replay has left. */
    void abandon() throws IOException {
        for (Keeping each : begun.values()) {
            each.file.close();
        }
        begun.clear();
    }

    /** The file that is being written for one segment. Confined: the replay. */
    private final class Keeping {
        private final SegmentName name;
        private final StoredFile file;
        private final long salt = new SecureRandom().nextLong();
        private long length;
        private long batches;

        Keeping(SegmentName name) throws IOException {
            this.name = name;
            new Directories(disk, paths.root()).make(paths.kept());
            disk.deleteIfExists(paths.keptBeside(name));
            file = disk.create(paths.keptBeside(name));
            begin();
        }

        private void begin() throws IOException {
            file.truncate(0);
            file.write(0, List.of(JournalFormat.fileHeader(NUMBER, 0, 0, salt, true)));
            length = JournalFormat.FILE_HEADER_BYTES;
            batches = 0;
        }

        void add(Item item) throws IOException {
            if (item.cut() && item.position() == 0) {
                begin();
                return;
            }
            int bytes = item.bytes().remaining();
            ByteBuffer head = JournalFormat.itemHeader(name, item.position(), item.cut() ? JournalFormat.CUT : bytes);
            List<ByteBuffer> content = List.of(head, item.bytes());
            ByteBuffer batch =
                    JournalFormat.batchHeader(salt, batches, 1, head.remaining() + bytes, JournalFormat.crc(content));
            file.write(length, List.of(batch, head, item.bytes()));
            length += batch.remaining() + head.remaining() + bytes;
            batches++;
        }

        /** Returns whether there is anything. */
        boolean finish() throws IOException {
            try (file) {
                file.sync();
            }
            if (batches == 0) {
                disk.deleteIfExists(paths.keptBeside(name));
                return false;
            }
            disk.move(paths.keptBeside(name), paths.kept(name));
            disk.syncDirectory(paths.kept());
            LOG.error(
                    "segment missing or truncated, its journal is kept until the file is restored segment={} kept={}",
                    name,
                    paths.kept(name));
            return true;
        }
    }

    /** Deletes the kept parts of a segment. */
    void forget(SegmentName name) throws IOException {
        if (names.contains(name)) {
            disk.deleteIfExists(paths.kept(name));
            disk.syncDirectory(paths.kept());
            names.remove(name);
        }
    }

    /** Returns the kept segments of a log. */
    List<SegmentName> of(LogId log) {
        return names.stream().filter(name -> name.log().equals(log)).toList();
    }

    /**
     * Refuses a segment without its kept parts.
     *
     * @throws StorageException CORRUPT: it does
     */
    void refuse(SegmentName name) throws StorageException {
        if (names.contains(name)) {
            throw new StorageException(
                    Reason.CORRUPT,
                    Effect.NONE,
                    "segment " + name + " is missing or too short: the journal's part of it is kept in "
                            + paths.kept(name)
                            + ". Put the file back and start the server again: docs/operations.md, 'A"
                            + " part that is missing'",
                    null);
        }
    }
}
