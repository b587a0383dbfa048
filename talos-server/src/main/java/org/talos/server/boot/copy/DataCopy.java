// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot.copy;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.talos.common.library.NativeLibraries;
import org.talos.server.auth.UserAdmin;
import org.talos.server.boot.Stores;
import org.talos.server.boot.doctor.Doctor;
import org.talos.server.boot.doctor.LocalDoctor;
import org.talos.server.boot.doctor.LocalDoctor.Progress;
import org.talos.server.boot.doctor.LocalDoctor.SegmentReading;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.local.LocalInspection;

/**
 * Copies the data directory of a server that does not run: to a place of safety, and back. The copy is for its user
 * alone, as the directory is, for it has the keys of all users; it is on the disk and has been read through before it
 * gets its name.
 *
 * <p>Confined: the calling thread. Every call blocks.
 */
public final class DataCopy {
    private static final String INCOMPLETE = ".incomplete";
    /**
     * Files that a server creates again: its locks, and the room that it keeps for a full disk. Native libraries too.
     */
    private static final Set<String> LEFT_OUT = Set.of("LOCK", "ballast");
    /** A directory of a disk that is mounted as the data directory: the file system's own, which only root may read. */
    private static final String OF_THE_DISK = "lost+found";

    private static final FileAttribute<Set<PosixFilePermission>> DIRECTORY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final FileAttribute<Set<PosixFilePermission>> FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path from;
    private final Path copy;
    private final Progress progress;
    private final Map<Path, Long> files = new LinkedHashMap<>(); // with their lengths, in the order they were found
    private long bytes;

    private DataCopy(Path from, Path copy, Progress progress) {
        this.from = from;
        this.copy = copy;
        this.progress = progress;
    }

    /**
     * A finished copy, and whether it is whole. Immutable.
     *
     * @param place where the copy is: with {@code .incomplete} behind its name if it is not whole
     * @param diagnosis of the copy, all of whose messages were read
     */
    public record Copied(Path place, int files, long bytes, Doctor.Diagnosis diagnosis) {}

    /**
     * Copies a directory, reads the copy, and gives it its name if it is whole.
     *
     * @param to must not be there, or be an empty directory
     * @param progress receives the progress of copying, and then of reading
     * @throws IOException the one is not a data directory or cannot be read, or the other cannot be written, or has no
     *     room
     * @throws StorageException UNAVAILABLE: a server runs on the directory
     */
    public static Copied copy(Path from, Path to, Progress progress) throws IOException, StorageException {
        try {
            return copyTo(from, to, progress);
        } catch (FileSystemException e) {
            throw new IOException(words(e), e);
        }
    }

    private static Copied copyTo(Path from, Path to, Progress progress) throws IOException, StorageException {
        Path target = real(to);
        Path name = target.getFileName();
        if (name == null) {
            throw new IOException(to + " is not a name for a copy");
        }
        requireFree(target);
        Path incomplete = target.resolveSibling(name + INCOMPLETE);
        if (Files.exists(incomplete, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(incomplete + " is there, from a copy that was not finished: delete it first");
        }
        DataCopy run = new DataCopy(real(from), incomplete, progress);
        run.copyOrSayWhatStays();
        Doctor.Diagnosis diagnosis = LocalDoctor.examine(incomplete, new SegmentReading(true, progress), 0);
        if (!diagnosis.healthy()) {
            return new Copied(incomplete, run.files.size(), run.bytes, diagnosis);
        }
        // Takes the place of an empty directory, and of nothing else.
        Files.move(incomplete, target, StandardCopyOption.ATOMIC_MOVE);
        sync(parent(target));
        return new Copied(target, run.files.size(), run.bytes, diagnosis);
    }

    /** Returns the text of a failure; many exceptions of the JDK have a path and nothing else. */
    private static String words(IOException failure) {
        String message = String.valueOf(failure.getMessage());
        if (failure instanceof AccessDeniedException) {
            return message + " is closed to this user";
        }
        if (failure instanceof NoSuchFileException) {
            return message + " is missing";
        }
        boolean pathAlone = failure instanceof FileSystemException file && file.getReason() == null;
        return pathAlone ? failure.toString() : message;
    }

    /** Returns the path with all links resolved; for a missing file, the path that it would have. */
    private static Path real(Path path) throws IOException {
        Path whole = path.toAbsolutePath().normalize();
        Path name = whole.getFileName();
        return Files.exists(whole) || name == null
                ? whole.toRealPath()
                : real(parent(whole)).resolve(name);
    }

    private static void requireFree(Path target) throws IOException {
        if (!Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (Files.isDirectory(target)) {
            if (!Files.getFileStore(target).equals(Files.getFileStore(parent(target)))) {
                throw new IOException(
                        target + " is where a disk is mounted, and cannot be replaced: name a directory in it");
            }
            try (var inside = Files.list(target)) {
                if (inside.findAny().isEmpty()) {
                    return;
                }
            }
        }
        throw new IOException(target + " is there and not empty: move it away first, nothing is overwritten");
    }

    private void copyOrSayWhatStays() throws IOException, StorageException {
        try {
            copy();
        } catch (IOException e) {
            if (Files.exists(copy)) {
                throw new IOException(words(e) + "; " + copy + " stays, and is not whole: delete it", e);
            }
            throw e;
        }
    }

    private void copy() throws IOException, StorageException {
        requireWhole();
        try (LocalInspection held = LocalInspection.open(from.resolve(Stores.LOGS))) {
            held.listedJournalFiles(); // a copy of half a directory is none
            // A server opens its rows before it finds the logs locked. Behind the lock of the logs: in the process of a
            // server that runs, the end of this one would end its own.
            Closeable rows = LocalInspection.keepOut(from.resolve(Stores.METADATA));
            try {
                collect();
                requireRoom();
                copyAll();
            } finally {
                rows.close();
            }
        }
    }

    private void requireWhole() throws IOException {
        if (String.valueOf(from.getFileName()).endsWith(INCOMPLETE)) {
            throw new IOException(from + " is a copy that was not finished or is not whole: its name says so");
        }
        if (!Files.isDirectory(from.resolve(Stores.LOGS)) || !Files.isDirectory(from.resolve(Stores.METADATA))) {
            throw new IOException(
                    from + " is not a data directory of a server: it lacks " + Stores.LOGS + " or " + Stores.METADATA);
        }
        if (!Files.isRegularFile(from.resolve(UserAdmin.KEY_FILE))) {
            throw new IOException(from + " lacks " + UserAdmin.KEY_FILE + ": no server would start on a copy of it");
        }
    }

    private void walk(SimpleFileVisitor<Path> visitor) throws IOException {
        Files.walkFileTree(from, EnumSet.of(FileVisitOption.FOLLOW_LINKS), Integer.MAX_VALUE, visitor);
    }

    /** A walk over a directory without {@link #OF_THE_DISK}. Confined: the calling thread. */
    private abstract static class Walk extends SimpleFileVisitor<Path> {
        abstract void enter(Path directory) throws IOException;

        @Override
        public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) throws IOException {
            if (directory.endsWith(OF_THE_DISK)
                    || String.valueOf(directory.getFileName()).startsWith(NativeLibraries.FOLDER)) {
                return FileVisitResult.SKIP_SUBTREE;
            }
            enter(directory);
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
            if (file.endsWith(OF_THE_DISK)) {
                return FileVisitResult.CONTINUE;
            }
            throw failure;
        }
    }

    /** Links are followed: parts of the directory may be on other disks. */
    private void collect() throws IOException {
        walk(new Walk() {
            @Override
            void enter(Path directory) throws IOException {
                if (copy.startsWith(directory.toRealPath())) {
                    throw new IOException(copy + " would be inside of the directory that is copied");
                }
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (LEFT_OUT.contains(String.valueOf(file.getFileName()))) {
                    return FileVisitResult.CONTINUE;
                }
                if (!attributes.isRegularFile()) {
                    throw new IOException(file
                            + " is not a file, or a link that leads nowhere: a copy without it would not be whole");
                }
                files.put(file, attributes.size());
                bytes += attributes.size();
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private void requireRoom() throws IOException {
        Path there = parent(copy);
        while (!Files.exists(there)) {
            there = parent(there);
        }
        long free = Files.getFileStore(there).getUsableSpace();
        if (free < bytes) {
            throw new IOException("the copy takes " + bytes + " bytes, and " + there + " has " + free + " free");
        }
    }

    private void copyAll() throws IOException {
        Files.createDirectories(parent(copy));
        walk(new Walk() {
            private long done;

            @Override
            void enter(Path directory) throws IOException {
                Files.createDirectory(place(directory), DIRECTORY);
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Long length = files.get(file);
                if (length != null) {
                    copyFile(file, place(file));
                    done += length;
                    progress.read(done, bytes);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
                    throws IOException {
                if (failure != null) {
                    throw failure;
                }
                sync(place(directory));
                return FileVisitResult.CONTINUE;
            }
        });
        sync(parent(copy));
    }

    private Path place(Path original) {
        return copy.resolve(from.relativize(original));
    }

    private static void copyFile(Path original, Path place) throws IOException {
        try (FileChannel in = FileChannel.open(original, StandardOpenOption.READ);
                FileChannel out = FileChannel.open(
                        place, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), FILE)) {
            long length = in.size();
            long at = 0;
            while (at < length) {
                long moved = in.transferTo(at, length - at, out);
                if (moved <= 0) {
                    throw new IOException(original + " has become shorter while it was copied");
                }
                at += moved;
            }
            out.force(true);
        }
    }

    private static void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private static Path parent(Path path) {
        return Optional.ofNullable(path.getParent()).orElse(path);
    }
}
