// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
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
import org.talos.server.boot.LocalDoctor.Progress;
import org.talos.server.boot.LocalDoctor.SegmentReading;
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
    /** What a server makes anew: its locks, and the room that it keeps for a full disk. */
    private static final Set<String> LEFT_OUT = Set.of("LOCK", "ballast");

    private static final FileAttribute<Set<PosixFilePermission>> DIRECTORY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    private static final FileAttribute<Set<PosixFilePermission>> FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path from;
    private final Path copy;
    private final Progress progress;
    private final Map<Path, Long> files = new LinkedHashMap<>(); // with their lengths, in the order of their names
    private long bytes;

    private DataCopy(Path from, Path copy, Progress progress) {
        this.from = from;
        this.copy = copy;
        this.progress = progress;
    }

    /**
     * What was copied, and how whole it is. Immutable.
     *
     * @param place where the copy is: with {@code .incomplete} behind its name if it is not whole
     * @param diagnosis of the copy, all of whose entries were read
     */
    public record Copied(Path place, int files, long bytes, Doctor.Diagnosis diagnosis) {}

    /**
     * Copies a directory, reads all of the copy, and gives it its name if it is whole.
     *
     * @param to must not be there, or be an empty directory
     * @param progress hears of copying, and then of reading
     * @throws IOException the one is no data directory or can't be read, or the other can't be written, or has no room
     * @throws StorageException UNAVAILABLE: a server runs on the directory
     */
    public static Copied copy(Path from, Path to, Progress progress) throws IOException, StorageException {
        Path target = to.toAbsolutePath().normalize();
        Path name = target.getFileName();
        if (name == null) {
            throw new IOException(to + " is no name for a copy");
        }
        requireFree(target);
        Path incomplete = target.resolveSibling(name + INCOMPLETE);
        if (Files.exists(incomplete)) {
            throw new IOException(incomplete + " is there, from a copy that was not finished: delete it first");
        }
        DataCopy run = new DataCopy(from.toAbsolutePath().normalize(), incomplete, progress);
        run.copy();
        Doctor.Diagnosis diagnosis = LocalDoctor.examine(incomplete, new SegmentReading(true, progress), 0);
        if (!diagnosis.healthy()) {
            return new Copied(incomplete, run.files.size(), run.bytes, diagnosis);
        }
        Files.deleteIfExists(target);
        Files.move(incomplete, target, StandardCopyOption.ATOMIC_MOVE);
        sync(parent(target));
        return new Copied(target, run.files.size(), run.bytes, diagnosis);
    }

    private static void requireFree(Path target) throws IOException {
        if (!Files.exists(target)) {
            return;
        }
        if (Files.isDirectory(target)) {
            try (var inside = Files.list(target)) {
                if (inside.findAny().isEmpty()) {
                    return;
                }
            }
        }
        throw new IOException(target + " is there and not empty: move it away first, nothing is overwritten");
    }

    private void copy() throws IOException, StorageException {
        if (!Files.isDirectory(from.resolve(Stores.LOGS)) || !Files.isDirectory(from.resolve(Stores.METADATA))) {
            throw new IOException(
                    from + " is no data directory of a server: it lacks " + Stores.LOGS + " or " + Stores.METADATA);
        }
        if (copy.startsWith(from)) {
            throw new IOException(copy + " would be inside of what is copied");
        }
        try (LocalInspection held = LocalInspection.open(from.resolve(Stores.LOGS))) {
            held.listedJournalFiles(); // a copy of half a directory is none
            collect();
            requireRoom();
            copyAll();
        }
    }

    /** Links are followed: parts of the directory may be on other disks. */
    private void collect() throws IOException {
        Files.walkFileTree(
                from, EnumSet.of(FileVisitOption.FOLLOW_LINKS), Integer.MAX_VALUE, new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                        if (attributes.isRegularFile() && !LEFT_OUT.contains(String.valueOf(file.getFileName()))) {
                            files.put(file, attributes.size());
                            bytes += attributes.size();
                        }
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
        Files.walkFileTree(
                from, EnumSet.of(FileVisitOption.FOLLOW_LINKS), Integer.MAX_VALUE, new SimpleFileVisitor<>() {
                    private long done;

                    @Override
                    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                            throws IOException {
                        Files.createDirectory(place(directory), DIRECTORY);
                        return FileVisitResult.CONTINUE;
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
                at += in.transferTo(at, length - at, out);
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
