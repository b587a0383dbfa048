// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.talos.common.error.Effect;
import org.talos.server.storage.LogId;
import org.talos.server.storage.LogsIdentity;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentReader;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.JournalFormat.Item;
import org.talos.server.storage.journal.JournalReplay;
import org.talos.server.storage.journal.StoredFile;

/**
 * Inspects a store's directory without a server, and changes nothing. While it is open no server can use the directory.
 *
 * <p>Confined: its caller. Every call blocks.
 */
public final class LocalInspection implements SegmentReader, AutoCloseable {
    private final Disk disk = new ReadOnlyDisk();
    private final Path root;
    private final DiskPaths paths;
    private final Closeable lock;

    private LocalInspection(Path root, Closeable lock) {
        this.root = root;
        this.lock = lock;
        paths = new DiskPaths(root);
    }

    /**
     * Keeps servers out of a directory and opens it.
     *
     * @throws StorageException UNAVAILABLE: a server has it
     */
    public static LocalInspection open(Path root) throws IOException, StorageException {
        return new LocalInspection(root, keepOut(root));
    }

    /**
     * Keeps out processes that lock a file LOCK in a directory, as a server and RocksDB do. If there is no such file,
     * none is created, and no process is kept out.
     *
     * @throws StorageException UNAVAILABLE: a server has it
     */
    public static Closeable keepOut(Path directory) throws IOException, StorageException {
        return new ReadOnlyDisk()
                .lock(directory.resolve("LOCK"))
                .orElseThrow(() -> new StorageException(
                        Reason.UNAVAILABLE, Effect.NONE, "a server is running on the directory " + directory, null));
    }

    /** Which rows the logs belong to. */
    public LogsIdentity identity() {
        return new LocalIdentity(disk, root);
    }

    /** Returns the generation by which an earlier copy is recognized. */
    public LocalGeneration generation() {
        return new LocalGeneration(disk, root);
    }

    /**
     * Refuses a directory without a required part.
     *
     * @return the journal files that must be there
     * @throws StorageException CORRUPT: one is missing, or a file has another form
     */
    public int listedJournalFiles() throws IOException, StorageException {
        Path format = paths.root().resolve("FORMAT");
        if (!disk.exists(format)) {
            throw new StorageException(Reason.CORRUPT, Effect.NONE, format + " is missing", null);
        }
        DirectoryLock.checkFormat(format, disk);
        var unused = SyncedSegments.read(disk, paths); // of another form too
        return JournalList.open(disk, paths).size();
    }

    /**
     * The part of a segment in a journal. Immutable.
     *
     * @param from its first byte
     * @param end one past its last byte
     */
    public record Part(long from, long end) {}

    /**
     * The contents of journal files. Immutable.
     *
     * @param unsynced whether a power failure may have taken any of it
     * @param parts parts that the next start will replay
     */
    public record Contents(int files, long bytes, long batches, boolean unsynced, Map<SegmentName, Part> parts) {
        /** Copies its argument. */
        public Contents {
            parts = Map.copyOf(parts);
        }
    }

    /**
     * Reads the journal as a start would.
     *
     * @throws StorageException CORRUPT: acknowledged bytes are damaged or missing
     */
    public Contents journal() throws IOException, StorageException {
        boolean isRefused = new SystemRun(disk, paths).isRefused(); // a copy keeps that
        LocalJournal journal = new LocalJournal(disk, paths, isRefused || hasStayedUp());
        List<Long> numbers = journal.numbers();
        long bytes = 0;
        for (long number : numbers) {
            try (StoredFile file = journal.open(number)) {
                bytes += file.size();
            }
        }
        Map<SegmentName, Part> parts = new HashMap<>();
        JournalReplay replay = new JournalReplay(journal, item -> add(item, parts));
        long batches = replay.run();
        return new Contents(numbers.size(), bytes, batches, replay.isUnsynced(), parts);
    }

    private static void add(Item item, Map<SegmentName, Part> parts) {
        SegmentName name = item.segment();
        if (item.cut() && item.position() == 0) {
            parts.remove(name);
            return;
        }
        long end = item.position() + item.bytes().remaining();
        Part known = parts.getOrDefault(name, new Part(item.position(), 0));
        parts.put(name, new Part(Math.min(known.from, item.position()), item.cut() ? end : Math.max(known.end, end)));
    }

    /** Returns all segments with a file, and their lengths, by log. */
    public Map<LogId, Map<SegmentName, Long>> segments() throws IOException {
        Map<LogId, Map<SegmentName, Long>> found = new HashMap<>();
        for (Path topic : disk.list(paths.segments())) {
            for (Path directory : disk.list(topic)) {
                Optional<LogId> log = DiskPaths.log(directory);
                if (log.isPresent()) {
                    found.put(log.get(), lengths(log.get(), directory));
                }
            }
        }
        return found;
    }

    private Map<SegmentName, Long> lengths(LogId log, Path directory) throws IOException {
        Map<SegmentName, Long> lengths = new HashMap<>();
        for (Path path : disk.list(directory)) {
            Optional<SegmentName> name = DiskPaths.segment(log, path);
            if (name.isPresent()) {
                try (StoredFile file = disk.open(path)) {
                    lengths.put(name.get(), file.size());
                }
            }
        }
        return lengths;
    }

    /** Returns the parts of missing segments that an earlier start has kept, and their places. */
    public Map<SegmentName, Path> kept() throws IOException {
        Map<SegmentName, Path> kept = new HashMap<>();
        for (Path file : disk.list(paths.kept())) {
            DiskPaths.keptSegment(file).ifPresent(name -> kept.put(name, file));
        }
        return kept;
    }

    /** Returns the segments that a power failure may have left with holes, and up to where they have none. */
    public Map<SegmentName, Long> wholeTo(Set<SegmentName> names) throws IOException {
        UnsyncedSegments unsynced = UnsyncedSegments.read(disk, paths);
        Map<SegmentName, Long> found = new HashMap<>();
        for (SegmentName name : names) {
            if (unsynced.wholeTo(name) < Long.MAX_VALUE) {
                found.put(name, unsynced.wholeTo(name));
            }
        }
        return found;
    }

    /** Returns whether a segment was on the disk when the last run began, which then wrote only to others. */
    public boolean wasSynced(SegmentName name) throws IOException, StorageException {
        return SyncedSegments.read(disk, paths).has(name);
    }

    /** Returns whether the system has been up since the last start, so that no power failure has left holes. */
    public boolean hasStayedUp() throws IOException {
        return disk.exists(paths.lock()) && new SystemRun(disk, paths).isSame(); // a copy has none
    }

    /** Returns a segment's file. */
    public Path path(SegmentName name) {
        return paths.segment(name);
    }

    @Override
    public int read(SegmentName name, long position, ByteBuffer target) throws StorageException {
        try (StoredFile file = disk.open(paths.segment(name))) {
            return file.read(position, target);
        } catch (IOException e) {
            throw StorageException.unavailable("segment " + name + " cannot be read", Effect.NONE, e);
        }
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
