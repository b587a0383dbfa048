// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.talos.server.storage.journal.StoredFile;

/** The file system, as far as the store uses it. Thread-safe. */
interface Disk {
    /** Files are private to their owner: users who may read messages ask the server for them. */
    FileAttribute<Set<PosixFilePermission>> OWNERS_FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    FileAttribute<Set<PosixFilePermission>> OWNERS_DIRECTORY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    /** Creates a file that does not exist yet, and makes its name durable. */
    StoredFile create(Path path) throws IOException;

    /** Opens an existing file, for reading and writing. */
    StoredFile open(Path path) throws IOException;

    /** Creates a directory unless it exists; its parent must exist, and must be synced to make the name durable. */
    void createDirectory(Path path) throws IOException;

    /** Makes the names in a directory durable. */
    void syncDirectory(Path directory) throws IOException;

    boolean exists(Path path);

    boolean isDirectory(Path path);

    /** Deletes a file or an empty directory; that is durable once its directory is synced. */
    void deleteIfExists(Path path) throws IOException;

    /** Renames a file in one step, replacing a file with that name; durable once the directory is synced. */
    void move(Path from, Path to) throws IOException;

    /** Locks a file, which is created if it is missing, against all processes; empty if it is already locked. */
    Optional<Closeable> lock(Path path) throws IOException;

    /**
     * Returns a text, in one line, that stays the same as long as the system keeps unsynced writes, and the file is the
     * same one. It differs after a power failure, and for a copy. Empty where neither is known.
     */
    Optional<String> lifeOf(Path path) throws IOException;

    /**
     * Returns a word that stays the same as long as the disk of a file stays attached; taking the disk away loses
     * unsynced writes. Empty where that is unknown.
     */
    Optional<String> attachmentOf(Path path) throws IOException;

    /** Replaces a whole file: after a crash either version exists, never a part. */
    default void replace(Path target, byte[] bytes) throws IOException {
        Path directory = DiskPaths.parent(target);
        Path beside = directory.resolve(target.getFileName() + ".new");
        deleteIfExists(beside);
        try (StoredFile file = create(beside)) {
            file.write(0, List.of(ByteBuffer.wrap(bytes)));
            file.sync();
        }
        move(beside, target);
        syncDirectory(directory);
    }

    /** Returns the names in a directory, in order; none if there is no such directory. */
    List<Path> list(Path directory) throws IOException;

    /** Locks all of an open file, or closes it if others hold it. */
    static Optional<Closeable> locked(FileChannel channel, boolean shared) throws IOException {
        boolean locked = false;
        try {
            locked = channel.tryLock(0, Long.MAX_VALUE, shared) != null;
        } catch (OverlappingFileLockException e) {
            locked = false; // held by this very process
        } finally {
            if (!locked) {
                channel.close();
            }
        }
        return locked ? Optional.of(channel) : Optional.empty();
    }

    /** The machine's own disk, by java.nio. Thread-safe. */
    final class RealDisk implements Disk {
        private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

        private final Staging staging = new Staging();

        @Override
        public StoredFile create(Path path) throws IOException {
            StoredFile file = new ChannelFile(path, staging, StandardOpenOption.CREATE_NEW);
            try {
                syncDirectory(DiskPaths.parent(path));
                return file;
            } catch (IOException e) {
                file.close();
                throw e;
            }
        }

        @Override
        public StoredFile open(Path path) throws IOException {
            return new ChannelFile(path, staging);
        }

        @Override
        public void createDirectory(Path path) throws IOException {
            Files.createDirectories(path, OWNERS_DIRECTORY);
        }

        @Override
        public void syncDirectory(Path directory) throws IOException {
            try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }

        @Override
        public boolean exists(Path path) {
            return Files.exists(path);
        }

        @Override
        public boolean isDirectory(Path path) {
            return Files.isDirectory(path);
        }

        @Override
        public void deleteIfExists(Path path) throws IOException {
            Files.deleteIfExists(path);
        }

        @Override
        public void move(Path from, Path to) throws IOException {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        }

        @Override
        public Optional<Closeable> lock(Path path) throws IOException {
            FileChannel channel =
                    FileChannel.open(path, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), OWNERS_FILE);
            return locked(channel, false);
        }

        /** Returns the id of the system's run, from Linux, and the time of the file's creation or last change. */
        @Override
        public Optional<String> lifeOf(Path path) throws IOException {
            if (!Files.isReadable(BOOT_ID)) {
                return Optional.empty();
            }
            Object number = Files.getAttribute(path, "unix:ino");
            Object changed = Files.getAttribute(path, "unix:ctime");
            return Optional.of(Files.readString(BOOT_ID).strip() + " " + number + " " + changed);
        }

        @Override
        public Optional<String> attachmentOf(Path path) throws IOException {
            return Files.getAttribute(path, "unix:dev") instanceof Long device
                    ? DiskAttachment.LINUX.of(device)
                    : Optional.empty();
        }

        @Override
        public List<Path> list(Path directory) throws IOException {
            if (!Files.isDirectory(directory)) {
                return List.of();
            }
            try (Stream<Path> names = Files.list(directory)) {
                return names.sorted().toList();
            } catch (NoSuchFileException e) {
                return List.of(); // it was deleted since the look
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
        }
    }
}
