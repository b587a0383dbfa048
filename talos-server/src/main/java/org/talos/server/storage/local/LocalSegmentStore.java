// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.config.Durability;
import org.talos.server.config.LogConfig;
import org.talos.server.runtime.Ticker;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;

/**
 * Segments as files of one directory. With {@link Durability#FSYNC} an append is acknowledged from a journal that all
 * segments share, and copied into its segment later; with {@link Durability#FLUSH} it goes straight into the segment.
 *
 * <p>Thread-safe.
 */
public final class LocalSegmentStore implements SegmentStore {
    private static final Logger LOG = LoggerFactory.getLogger(LocalSegmentStore.class);

    private final DiskPaths paths;
    private final Disk disk;
    private final DirectoryLock lock;
    private final @Nullable Journal journal; // with FSYNC
    private final SegmentCopier copier;
    private final Map<SegmentName, LocalSegment> writing = new ConcurrentHashMap<>();

    private LocalSegmentStore(
            DiskPaths paths,
            Disk disk,
            DirectoryLock lock,
            long firstJournal,
            LogConfig config,
            Ticker ticker,
            JournalListener listener) {
        this.paths = paths;
        this.disk = disk;
        this.lock = lock;
        copier = new SegmentCopier(config.maxUnwrittenBytes(), writing::values);
        journal = config.durability() == Durability.FSYNC
                ? new Journal(
                        disk,
                        paths,
                        firstJournal,
                        config.journalFileBytes(),
                        ticker,
                        listener,
                        copier::want,
                        copier::release)
                : null;
    }

    /**
     * Opens the store in a directory, and brings in what an earlier run left in its journal.
     *
     * @throws StorageException UNAVAILABLE: in use, or can't be read; CORRUPT: damaged, or of another format
     */
    public static LocalSegmentStore open(Path root, LogConfig config, Ticker ticker, JournalListener listener)
            throws StorageException {
        return open(root, config, ticker, listener, Disk.REAL);
    }

    static LocalSegmentStore open(Path root, LogConfig config, Ticker ticker, JournalListener listener, Disk disk)
            throws StorageException {
        DiskPaths paths = new DiskPaths(root);
        try {
            DirectoryLock lock = DirectoryLock.take(root);
            try {
                disk.createDirectories(paths.journal());
                long firstJournal = new JournalReplay(disk, paths).run();
                LocalSegmentStore store =
                        new LocalSegmentStore(paths, disk, lock, firstJournal, config, ticker, listener);
                store.start();
                return store;
            } catch (IOException | StorageException | RuntimeException e) {
                lock.close();
                throw e;
            }
        } catch (IOException e) {
            throw unavailable("directory " + root + " can't be opened", Effect.NONE, e);
        }
    }

    private void start() {
        if (journal != null) {
            journal.start();
            copier.start(journal);
        }
    }

    @Override
    public SegmentWriter create(SegmentName name) throws StorageException {
        try {
            disk.createDirectories(paths.log(name.log()));
            LocalSegment segment = new LocalSegment(name, disk.create(paths.segment(name)));
            writing.put(name, segment);
            return new Writer(segment);
        } catch (FileAlreadyExistsException e) {
            throw new StorageException(Reason.FENCED, Effect.NONE, "segment " + name + " is there already", e);
        } catch (IOException e) {
            throw unavailable("segment " + name + " can't be made", Effect.UNKNOWN, e);
        }
    }

    @Override
    public int read(SegmentName name, long position, ByteBuffer target) throws StorageException {
        LocalSegment segment = writing.get(name);
        try {
            if (segment != null) {
                return segment.read(position, target);
            }
        } catch (IOException e) {
            // Sealed between the two steps, which closes the writer's file: what is there is read like any other.
            LOG.debug("segment {} sealed while it was read", name, e);
        }
        try (DiskFile file = disk.open(paths.segment(name))) {
            return file.read(position, target);
        } catch (NoSuchFileException e) {
            throw new StorageException(Reason.CORRUPT, Effect.NONE, "segment " + name + " is not there", e);
        } catch (IOException e) {
            throw unavailable("segment " + name + " can't be read", Effect.NONE, e);
        }
    }

    @Override
    public long recover(SegmentName name) throws StorageException {
        LocalSegment segment = writing.get(name);
        if (segment != null) {
            segment.fence();
            return settle(segment);
        }
        try (DiskFile file = disk.open(paths.segment(name))) {
            return file.size();
        } catch (NoSuchFileException e) {
            return 0;
        } catch (IOException e) {
            throw unavailable("segment " + name + " can't be read", Effect.NONE, e);
        }
    }

    /** Waits for what is under way, brings everything into the file and onto the disk, and closes it. */
    private long settle(LocalSegment segment) throws StorageException {
        try {
            segment.awaitSettled();
            copier.copy(segment);
            segment.sync();
            if (writing.remove(segment.name(), segment)) {
                segment.close();
            }
            return segment.durableLength();
        } catch (IOException e) {
            throw unavailable("segment " + segment.name() + " can't be written out", Effect.UNKNOWN, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable("interrupted", Effect.UNKNOWN, e);
        }
    }

    @Override
    public void truncate(SegmentName name, long length) throws StorageException {
        try (DiskFile file = disk.open(paths.segment(name))) {
            file.truncate(length);
            file.sync();
        } catch (IOException e) {
            throw unavailable("segment " + name + " can't be cut", Effect.UNKNOWN, e);
        }
    }

    @Override
    public List<SegmentName> list(LogId log) throws StorageException {
        try {
            return disk.list(paths.log(log)).stream()
                    .map(file -> DiskPaths.segment(log, file))
                    .flatMap(Optional::stream)
                    .toList();
        } catch (IOException e) {
            throw unavailable("log " + log + " can't be listed", Effect.NONE, e);
        }
    }

    @Override
    public void delete(SegmentName name) throws StorageException {
        try {
            LocalSegment segment = writing.remove(name);
            if (segment != null) {
                segment.fence();
                copier.release(segment.drop());
            }
            disk.deleteIfExists(paths.segment(name));
            disk.deleteIfExists(paths.index(name));
        } catch (IOException e) {
            throw unavailable("segment " + name + " can't be deleted", Effect.UNKNOWN, e);
        }
    }

    @Override
    public void deleteLog(LogId log) throws StorageException {
        for (SegmentName name : list(log)) {
            delete(name);
        }
        try {
            for (Path left : disk.list(paths.log(log))) {
                disk.deleteIfExists(left);
            }
            disk.deleteIfExists(paths.log(log));
        } catch (IOException e) {
            throw unavailable("log " + log + " can't be deleted", Effect.UNKNOWN, e);
        }
    }

    @Override
    public void saveIndex(SegmentName name, byte[] index) throws StorageException {
        Path target = paths.index(name);
        Path beside = DiskPaths.parent(target).resolve(target.getFileName() + ".new");
        try {
            disk.deleteIfExists(beside);
            try (DiskFile file = disk.create(beside)) {
                file.write(0, List.of(ByteBuffer.wrap(index)));
                file.sync();
            }
            Files.move(beside, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            disk.syncDirectory(DiskPaths.parent(target));
        } catch (IOException e) {
            throw unavailable("index of " + name + " can't be kept", Effect.UNKNOWN, e);
        }
    }

    @Override
    public Optional<byte[]> loadIndex(SegmentName name) throws StorageException {
        try (DiskFile file = disk.open(paths.index(name))) {
            ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(file.size()));
            file.read(0, bytes);
            return Optional.of(bytes.array());
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw unavailable("index of " + name + " can't be read", Effect.NONE, e);
        }
    }

    @Override
    public void close() {
        if (journal != null) {
            journal.close();
            copier.close();
        }
        boolean whole = true;
        for (LocalSegment segment : List.copyOf(writing.values())) {
            segment.fence();
            try {
                settle(segment);
            } catch (StorageException e) {
                whole = false;
                LOG.error("segment not written out; its journal is kept segment={}", segment.name(), e);
            }
        }
        try {
            if (whole && journal != null) {
                copier.round(); // nothing is left to copy: lets the journal go
            }
            lock.close();
        } catch (IOException e) {
            LOG.error("store not closed cleanly", e);
        }
    }

    private static StorageException unavailable(String what, Effect effect, Exception cause) {
        return new StorageException(Reason.UNAVAILABLE, effect, what + ": " + cause.getMessage(), cause);
    }

    /** The writer's hold on a segment. Confined: the worker that holds the partition's key. */
    private final class Writer implements SegmentWriter {
        private final LocalSegment segment;

        Writer(LocalSegment segment) {
            this.segment = segment;
        }

        @Override
        public CompletableFuture<Void> append(List<ByteBuffer> bytes) {
            try {
                if (journal == null) {
                    segment.writeThrough(bytes);
                    return CompletableFuture.completedFuture(null);
                }
                int length = bytes.stream().mapToInt(ByteBuffer::remaining).sum();
                copier.reserve(length);
                try {
                    return journal.append(segment, segment.take(bytes), bytes, length);
                } catch (StorageException e) {
                    copier.release(length);
                    throw e;
                }
            } catch (StorageException e) {
                return CompletableFuture.failedFuture(e);
            }
        }

        @Override
        public long length() {
            return segment.appendedLength();
        }

        @Override
        public long seal() throws StorageException {
            segment.fence();
            return settle(segment);
        }

        @Override
        public void close() {
            segment.fence();
        }
    }
}
