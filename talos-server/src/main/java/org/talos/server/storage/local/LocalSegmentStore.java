// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.config.Durability;
import org.talos.server.config.LogConfig;
import org.talos.server.runtime.Ticker;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;
import org.talos.server.storage.SegmentOptions;
import org.talos.server.storage.SegmentStore;
import org.talos.server.storage.SegmentWriter;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.Journal;
import org.talos.server.storage.journal.JournalListener;
import org.talos.server.storage.journal.JournaledSegment;
import org.talos.server.storage.journal.JournaledWriter;
import org.talos.server.storage.journal.SegmentCopier;
import org.talos.server.storage.journal.StoredFile;

/**
 * Segments as files of one directory. An append is acknowledged from a journal that all segments share, and copied into
 * its segment later. With {@link Durability#FSYNC} the journal is on the disk by then, with {@link Durability#FLUSH} in
 * the system's memory.
 *
 * <p>Thread-safe. Threads that call it must not be interrupted while they do: the channels of java.nio close under a
 * thread that is, for everybody; the server's workers never are.
 */
public final class LocalSegmentStore implements SegmentStore {
    private static final Logger LOG = LoggerFactory.getLogger(LocalSegmentStore.class);

    private static final int NAME_LOCKS = 64;
    /** Less than that is gone within seconds. */
    private static final long LEAST_FREE_BYTES = 64L << 20;

    private final DiskPaths paths;
    private final Disk disk;
    private final Directories directories;
    private final DirectoryLock lock;
    private final Journal journal;
    private final SegmentCopier copier;
    private final Map<SegmentName, JournaledSegment> writing = new ConcurrentHashMap<>();
    private final Object[] nameLocks = new Object[NAME_LOCKS]; // nobody else makes, finds missing or deletes the name
    private volatile boolean closed;

    private LocalSegmentStore(
            DiskPaths paths,
            Disk disk,
            Directories directories,
            DirectoryLock lock,
            long firstJournal,
            LogConfig config,
            Ticker ticker,
            JournalListener listener)
            throws IOException {
        this.paths = paths;
        this.disk = disk;
        this.directories = directories;
        this.lock = lock;
        Arrays.setAll(nameLocks, i -> new Object());
        copier = new SegmentCopier(
                config.maxUnwrittenBytes(), SegmentCopier.MAX_WAIT_MILLIS, 1, writing::values, this::letGo);
        journal = new Journal(
                new LocalJournalFiles(disk, paths, config.durability() == Durability.FSYNC),
                firstJournal,
                config.journalFileBytes(),
                ticker,
                listener,
                copier::want,
                copier::release);
    }

    /**
     * Opens the store in a directory, and brings in what an earlier run left in its journal.
     *
     * @throws StorageException UNAVAILABLE: in use, or can't be read; CORRUPT: damaged, or of another format
     */
    public static LocalSegmentStore open(Path root, LogConfig config, Ticker ticker, JournalListener listener)
            throws StorageException {
        return open(root, config, ticker, listener, new Disk.RealDisk());
    }

    static LocalSegmentStore open(Path root, LogConfig config, Ticker ticker, JournalListener listener, Disk disk)
            throws StorageException {
        DiskPaths paths = new DiskPaths(root);
        try {
            Directories directories = new Directories(disk, root);
            directories.make(root);
            DirectoryLock lock = DirectoryLock.take(root, disk);
            try {
                directories.make(paths.journal());
                long firstJournal = new LocalReplay(disk, paths).run();
                LocalSegmentStore store =
                        new LocalSegmentStore(paths, disk, directories, lock, firstJournal, config, ticker, listener);
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

    /** Bytes that are not in their segments yet. */
    public long unwrittenBytes() {
        return copier.unwrittenBytes();
    }

    /** Why nothing can be appended now, if so: the journal has ended, or the disk is nearly full. */
    public Optional<String> failure() throws IOException {
        long free = Files.getFileStore(paths.root()).getUsableSpace();
        return free < LEAST_FREE_BYTES ? Optional.of("the disk has " + free + " bytes left") : journal.failure();
    }

    private void start() {
        journal.start();
        copier.start(() -> List.of(journal));
    }

    /** All segments share the journal: each is as durable as the store. */
    @Override
    public SegmentWriter create(SegmentName name, SegmentOptions options) throws StorageException {
        refuseIfClosed();
        try {
            synchronized (lockOf(name)) {
                JournaledSegment segment = new JournaledSegment(name, make(name));
                writing.put(name, segment);
                return new JournaledWriter(segment, journal, copier, this::seal);
            }
        } catch (FileAlreadyExistsException e) {
            throw new StorageException(Reason.FENCED, Effect.NONE, "segment " + name + " is there already", e);
        } catch (IOException e) {
            throw unavailable("segment " + name + " can't be made", Effect.UNKNOWN, e);
        }
    }

    private StoredFile make(SegmentName name) throws IOException {
        directories.make(paths.log(name.log()));
        return disk.create(paths.segment(name));
    }

    private Object lockOf(SegmentName name) {
        return nameLocks[Math.floorMod(name.hashCode(), NAME_LOCKS)];
    }

    @Override
    public int read(SegmentName name, long position, ByteBuffer target) throws StorageException {
        refuseIfClosed();
        JournaledSegment segment = writing.get(name);
        int start = target.position();
        try {
            if (segment != null) {
                return segment.read(position, target);
            }
        } catch (IOException e) {
            if (writing.get(name) == segment) {
                throw unavailable("segment " + name + " can't be read", Effect.NONE, e);
            }
            // Sealed between the two steps, which closes the writer's file: what is there is read like any other.
            LOG.debug("segment {} sealed while it was read", name, e);
            target.position(start);
        }
        try (StoredFile file = disk.open(paths.segment(name))) {
            return file.read(position, target);
        } catch (NoSuchFileException e) {
            throw new StorageException(Reason.CORRUPT, Effect.NONE, "segment " + name + " is not there", e);
        } catch (IOException e) {
            throw unavailable("segment " + name + " can't be read", Effect.NONE, e);
        }
    }

    @Override
    public long recover(SegmentName name) throws StorageException {
        refuseIfClosed();
        JournaledSegment segment;
        synchronized (lockOf(name)) {
            segment = writing.get(name);
            if (segment == null) {
                return recoverFile(name);
            }
        }
        segment.fence();
        return settle(segment);
    }

    private long recoverFile(SegmentName name) throws StorageException {
        try {
            if (!disk.exists(paths.segment(name))) {
                make(name).close();
                return 0;
            }
            try (StoredFile file = disk.open(paths.segment(name))) {
                file.sync();
                return file.size();
            }
        } catch (IOException e) {
            throw unavailable("segment " + name + " can't be read", Effect.NONE, e);
        }
    }

    private long seal(JournaledSegment segment) throws StorageException {
        refuseIfClosed();
        return settle(segment);
    }

    /**
     * Waits for what is under way, brings everything into the file and onto the disk, and closes it. If the journal
     * failed under the segment, it may have more of it than was acknowledged: that is cut off first.
     */
    private long settle(JournaledSegment segment) throws StorageException {
        SegmentName name = segment.name();
        try {
            segment.awaitSettled();
            if (segment.broken() != null) {
                journal.cut(name, segment.durableLength());
            }
            copier.copy(segment);
            segment.sync();
            segment.trim();
            if (writing.remove(name, segment)) {
                segment.close();
            }
            return segment.durableLength();
        } catch (IOException e) {
            throw unavailable("segment " + name + " can't be written out", Effect.UNKNOWN, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable("interrupted", Effect.UNKNOWN, e);
        }
    }

    /** Settles a segment whose writer has gone; if that fails it waits to be recovered. */
    private void letGo(JournaledSegment segment) {
        try {
            settle(segment);
        } catch (StorageException e) {
            LOG.warn("segment not settled segment={}", segment.name(), e);
        }
    }

    @Override
    public void truncate(SegmentName name, long length) throws StorageException {
        refuseIfClosed();
        cutInJournal(name, length);
        try (StoredFile file = disk.open(paths.segment(name))) {
            file.truncate(length);
            file.sync();
        } catch (IOException e) {
            throw unavailable("segment " + name + " can't be cut", Effect.UNKNOWN, e);
        }
    }

    /** No replay is to bring back what is cut off or deleted now. */
    private void cutInJournal(SegmentName name, long length) throws StorageException {
        if (journal.holds(name)) {
            journal.cut(name, length);
        }
    }

    @Override
    public List<SegmentName> list(LogId log) throws StorageException {
        refuseIfClosed();
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
        refuseIfClosed();
        try {
            synchronized (lockOf(name)) {
                JournaledSegment segment = writing.get(name);
                if (segment != null) {
                    segment.fence();
                    segment.awaitSettled();
                }
                cutInJournal(name, 0);
                if (segment != null && writing.remove(name, segment)) {
                    copier.release(segment.drop());
                }
                deleteFiles(List.of(paths.segment(name), paths.index(name)));
            }
        } catch (IOException e) {
            throw unavailable("segment " + name + " can't be deleted", Effect.UNKNOWN, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable("interrupted", Effect.UNKNOWN, e);
        }
    }

    /** Also what an earlier delete has not got durable. */
    private void deleteFiles(List<Path> files) throws IOException {
        for (Path file : files) {
            disk.deleteIfExists(file);
        }
        for (Path directory : files.stream().map(DiskPaths::parent).distinct().toList()) {
            if (disk.exists(directory)) {
                disk.syncDirectory(directory);
            }
        }
    }

    @Override
    public void deleteLog(LogId log) throws StorageException {
        for (SegmentName name : list(log)) {
            delete(name);
        }
        try {
            deleteFiles(disk.list(paths.log(log)));
            directories.delete(paths.log(log));
        } catch (IOException e) {
            throw unavailable("log " + log + " can't be deleted", Effect.UNKNOWN, e);
        }
    }

    @Override
    public void saveIndex(SegmentName name, byte[] index) throws StorageException {
        refuseIfClosed();
        try {
            disk.replace(paths.index(name), index);
        } catch (IOException e) {
            throw unavailable("index of " + name + " can't be kept", Effect.UNKNOWN, e);
        }
    }

    @Override
    public Optional<byte[]> loadIndex(SegmentName name) throws StorageException {
        refuseIfClosed();
        try (StoredFile file = disk.open(paths.index(name))) {
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
        synchronized (writing) {
            if (closed) {
                return;
            }
            closed = true;
        }
        writing.values().forEach(JournaledSegment::fence);
        journal.close();
        copier.close();
        boolean whole = true;
        for (JournaledSegment segment : List.copyOf(writing.values())) {
            segment.fence();
            try {
                settle(segment);
            } catch (StorageException e) {
                whole = false;
                LOG.error("segment not written out; its journal is kept segment={}", segment.name(), e);
            }
        }
        closeRest(whole);
    }

    private void closeRest(boolean whole) {
        try {
            for (JournaledSegment left : writing.values()) {
                left.close();
            }
            if (whole) {
                copier.round(); // nothing is left to copy: lets the journal go
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

    private void refuseIfClosed() throws StorageException {
        if (closed) {
            throw new StorageException(Reason.UNAVAILABLE, Effect.NONE, "the store is closed", null);
        }
    }

    private static StorageException unavailable(String what, Effect effect, Exception cause) {
        return new StorageException(Reason.UNAVAILABLE, effect, what + ": " + cause.getMessage(), cause);
    }
}
