// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.config.Durability;
import org.talos.server.config.LogConfig;
import org.talos.server.runtime.thread.Threads;
import org.talos.server.runtime.time.Ticker;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.SegmentRows;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.Journal;
import org.talos.server.storage.journal.JournalListener;
import org.talos.server.storage.journal.JournaledOpenSegment;
import org.talos.server.storage.journal.JournaledSegment;
import org.talos.server.storage.journal.OpenSegment;
import org.talos.server.storage.journal.SegmentCopier;
import org.talos.server.storage.journal.SegmentFiles;
import org.talos.server.storage.journal.StoredFile;

/** Segments and their journal as files of one directory, which no other process uses. Thread-safe. */
final class LocalSegmentFiles implements SegmentFiles {
    private static final Logger LOG = LoggerFactory.getLogger(LocalSegmentFiles.class);

    private final DiskPaths paths;
    private final Disk disk;
    private final Directories directories;
    private final DirectoryLock lock;
    private final Journal journal;
    private final SegmentCopier copier;
    private final Collection<OpenSegment> open;
    private final boolean onDisk; // acknowledged bytes
    private final UnsyncedSegments unsynced;
    private final KeptSegments kept;

    private LocalSegmentFiles(
            Place place,
            Directories directories,
            DirectoryLock lock,
            Appends appends,
            UnsyncedSegments unsynced,
            KeptSegments kept) {
        this.unsynced = unsynced;
        this.kept = kept;
        paths = place.paths;
        disk = place.disk;
        this.directories = directories;
        this.lock = lock;
        journal = appends.journal;
        copier = appends.copier;
        open = appends.open;
        onDisk = appends.onDisk;
    }

    /**
     * Where a store is. Immutable.
     *
     * @param rows the metadata's view of its segments
     */
    record Place(DiskPaths paths, Disk disk, SegmentRows rows) {}

    /**
     * The settings for appends. Immutable.
     *
     * @param open segments that are being written
     * @param onDisk whether acknowledged bytes are on the disk
     */
    private record Appends(Journal journal, SegmentCopier copier, Collection<OpenSegment> open, boolean onDisk) {}

    /** Locks the directory, which is created if it is missing, replays its journal, and begins another. */
    static LocalSegmentFiles open(
            Place place,
            LogConfig config,
            Ticker ticker,
            JournalListener listener,
            SegmentCopier copier,
            Collection<OpenSegment> open,
            Threads threads)
            throws IOException, StorageException {
        DiskPaths paths = place.paths;
        Disk disk = place.disk;
        Directories directories = new Directories(disk, paths.root());
        directories.make(paths.root());
        DirectoryLock lock = DirectoryLock.take(paths.root(), disk);
        try {
            RenamedFiles.rename(disk, paths);
            JournalList list = JournalList.open(disk, paths);
            directories.make(paths.journal());
            directories.make(paths.segments()); // it must exist from now on, as the list of journal files says
            boolean onDisk = config.durability() == Durability.FSYNC;
            KeptSegments kept = KeptSegments.find(disk, paths);
            LocalReplay replay = new LocalReplay(disk, paths, !onDisk, place.rows, kept);
            long firstJournal = replay.run(list);
            Journal journal = new Journal(
                    new LocalJournalFiles(disk, paths, onDisk, list),
                    firstJournal,
                    config.journalFileBytes(),
                    ticker,
                    listener,
                    new Journal.Callbacks(copier::want, copier::release),
                    threads);
            directories.deleteEmptyIn(paths.segments()); // files of topics that earlier versions deleted
            journal.start();
            Appends appends = new Appends(journal, copier, open, onDisk);
            return new LocalSegmentFiles(place, directories, lock, appends, replay.unsynced(), kept);
        } catch (IOException | StorageException | RuntimeException | Error e) {
            lock.close();
            throw e;
        }
    }

    @Override
    public List<Journal> journals() {
        return List.of(journal);
    }

    @Override
    public Optional<String> failure() {
        return journal.failure();
    }

    /** All segments share the journal: each is as durable as the store, whatever its options are. */
    @Override
    public OpenSegment create(SegmentName name, SegmentOptions options, OpenSegment.Sealing sealing)
            throws StorageException {
        try {
            JournaledSegment segment = new JournaledSegment(name, make(name), new SegmentRewrite(name, disk, paths));
            return new JournaledOpenSegment(segment, journal, copier, sealing, new Ending(), onDisk);
        } catch (FileAlreadyExistsException e) {
            throw StorageException.exists(name, e);
        } catch (IOException e) {
            throw StorageException.unavailable("segment " + name + " cannot be made", Effect.UNKNOWN, e);
        }
    }

    private StoredFile make(SegmentName name) throws IOException {
        directories.make(paths.log(name.log()));
        return disk.create(paths.segment(name));
    }

    /**
     * Writes everything to the file and to the disk. If the journal failed, the segment may have more bytes than were
     * acknowledged: they are cut off first. Thread-safe.
     */
    private final class Ending implements JournaledOpenSegment.Ending {
        /** Returns false: no other process writes in the directory. */
        @Override
        public boolean isLost() {
            return false;
        }

        @Override
        public void finish(JournaledSegment segment) throws IOException, StorageException {
            if (segment.broken() != null) {
                journal.cut(segment.name(), segment.durableLength());
            }
            try {
                copier.copy(segment);
            } catch (IOException e) {
                LOG.warn("segment rewritten to another file segment={}", segment.name(), e);
                copier.release(segment.rewrite());
            }
            segment.sync();
            segment.trim();
        }

        @Override
        public void close(JournaledSegment segment) throws IOException {
            segment.close();
        }
    }

    @Override
    public int read(SegmentName name, long position, ByteBuffer target) throws StorageException {
        try (StoredFile file = disk.open(paths.segment(name))) {
            return file.read(position, target);
        } catch (NoSuchFileException e) {
            throw new StorageException(Reason.CORRUPT, Effect.NONE, "segment " + name + " is missing", e);
        } catch (IOException e) {
            throw StorageException.unavailable("segment " + name + " cannot be read", Effect.NONE, e);
        }
    }

    @Override
    public long recover(SegmentName name) throws StorageException {
        kept.refuse(name);
        try {
            try (StoredFile file = disk.open(paths.segment(name))) {
                file.sync();
                return file.size();
            }
        } catch (NoSuchFileException e) {
            throw new StorageException(Reason.CORRUPT, Effect.NONE, "segment " + name + " is missing", e);
        } catch (IOException e) {
            throw StorageException.unavailable("segment " + name + " cannot be read", Effect.NONE, e);
        }
    }

    @Override
    public long wholeTo(SegmentName name) {
        return unsynced.wholeTo(name);
    }

    /** All segments share the journal, whatever their options are. */
    @Override
    public boolean mayLackItsEnd(SegmentName name, SegmentOptions options) {
        return unsynced.mayLackItsEnd(name);
    }

    /**
     * A segment gets only bytes that are durable in the journal, and the replay completes a copy in progress. So its
     * end is whole, unless a power failure took part of an unsynced journal.
     */
    @Override
    public boolean mayBeTorn(SegmentName name, long position) {
        return unsynced.mayLackItsEnd(name) && position >= unsynced.wholeTo(name);
    }

    @Override
    public void truncate(SegmentName name, long length) throws StorageException {
        cutInJournal(name, length);
        try (StoredFile file = disk.open(paths.segment(name))) {
            file.truncate(length);
            file.sync();
        } catch (IOException e) {
            throw StorageException.unavailable("segment " + name + " cannot be cut", Effect.UNKNOWN, e);
        }
    }

    @Override
    public void cutInJournal(SegmentName name, long length) throws StorageException {
        if (journal.holds(name)) {
            journal.cut(name, length);
        }
    }

    @Override
    public Map<SegmentName, Long> lengths(LogId log) throws StorageException {
        try {
            Map<SegmentName, Long> lengths = new HashMap<>();
            kept.of(log).forEach(name -> lengths.put(name, 0L)); // to be refused, and not taken for one never created
            for (Path path : disk.list(paths.log(log))) {
                Optional<SegmentName> name = DiskPaths.segment(log, path);
                if (name.isPresent()) {
                    try (StoredFile file = disk.open(path)) {
                        lengths.put(name.get(), file.size());
                    }
                }
            }
            return lengths;
        } catch (IOException e) {
            throw StorageException.unavailable("log " + log + " cannot be listed", Effect.NONE, e);
        }
    }

    @Override
    public void delete(SegmentName name) throws StorageException {
        try {
            kept.forget(name);
            deleteFiles(List.of(paths.segment(name), paths.index(name)));
        } catch (IOException e) {
            throw StorageException.unavailable("segment " + name + " cannot be deleted", Effect.UNKNOWN, e);
        }
    }

    /** Deletes files, and makes an earlier deletion durable too. */
    private void deleteFiles(List<Path> files) throws IOException {
        for (Path file : files) {
            disk.deleteIfExists(file);
        }
        for (Path directory : files.stream().map(DiskPaths::parent).distinct().toList()) {
            syncIfThere(directory);
        }
    }

    /** Syncs a directory, which another deletion of the same log may delete at any time. */
    private void syncIfThere(Path directory) throws IOException {
        try {
            if (disk.exists(directory)) {
                disk.syncDirectory(directory);
            }
        } catch (NoSuchFileException e) {
            LOG.debug("directory deleted by another process path={}", directory, e);
        }
    }

    @Override
    public void deleteLog(LogId log) throws StorageException {
        try {
            for (SegmentName name : kept.of(log)) {
                kept.forget(name);
            }
            Path directory = paths.log(log);
            deleteFiles(disk.list(directory));
            syncIfThere(directory); // a failed deletion may have left its files without this
            directories.delete(directory);
            directories.deleteIfEmpty(DiskPaths.parent(directory)); // the topic's, with its last log
        } catch (IOException e) {
            throw StorageException.unavailable("log " + log + " cannot be deleted", Effect.UNKNOWN, e);
        }
    }

    @Override
    public void saveIndex(SegmentName name, byte[] index) throws StorageException {
        try {
            disk.replace(paths.index(name), index);
        } catch (IOException e) {
            throw StorageException.unavailable("index of " + name + " cannot be kept", Effect.UNKNOWN, e);
        }
    }

    @Override
    public Optional<byte[]> loadIndex(SegmentName name) throws StorageException {
        try (StoredFile file = disk.open(paths.index(name))) {
            ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(file.size()));
            file.read(0, bytes);
            return Optional.of(bytes.array());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw StorageException.unavailable("index of " + name + " cannot be read", Effect.NONE, e);
        }
    }

    /** Fences all segments first: the journal then writes their last bytes. */
    @Override
    public void stop() {
        open.forEach(OpenSegment::fence);
        journal.close();
    }

    @Override
    public void close(boolean whole) {
        try {
            for (OpenSegment left : open) {
                left.close();
            }
            if (whole) {
                copier.round(); // nothing is left to copy: deletes the journal's files
            }
        } catch (IOException e) {
            LOG.error("store not closed cleanly", e);
        }
        try {
            lock.close();
        } catch (IOException e) {
            LOG.error("lock not closed", e);
        }
    }
}
