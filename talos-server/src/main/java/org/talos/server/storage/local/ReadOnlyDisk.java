// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.talos.server.storage.journal.StoredFile;

/** The machine's file system, of which nothing is changed: every attempt fails. Thread-safe. */
final class ReadOnlyDisk implements Disk {
    @Override
    public StoredFile create(Path path) throws IOException {
        throw readOnly(path);
    }

    @Override
    public StoredFile open(Path path) throws IOException {
        return new ReadOnlyFile(path, FileChannel.open(path, StandardOpenOption.READ));
    }

    @Override
    public void createDirectory(Path path) throws IOException {
        throw readOnly(path);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        throw readOnly(directory);
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
        throw readOnly(path);
    }

    @Override
    public void move(Path from, Path to) throws IOException {
        throw readOnly(from);
    }

    /** Keeps a server out while it is held, and others who only read in; there may be no file, and none is made. */
    @Override
    public Optional<Closeable> lock(Path path) throws IOException {
        if (!Files.exists(path)) {
            return Optional.of(() -> {});
        }
        FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
        boolean locked = false;
        try {
            locked = channel.tryLock(0, Long.MAX_VALUE, true) != null;
        } catch (OverlappingFileLockException e) {
            locked = false; // held by this very process
        } finally {
            if (!locked) {
                channel.close();
            }
        }
        return locked ? Optional.of(channel) : Optional.empty();
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> names = Files.list(directory)) {
            return names.sorted().toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static IOException readOnly(Path path) {
        return new IOException(path + " is not to be changed");
    }

    /** An open file. Thread-safe. */
    private record ReadOnlyFile(Path path, FileChannel channel) implements StoredFile {
        @Override
        public void write(long position, List<ByteBuffer> bytes) throws IOException {
            throw readOnly(path);
        }

        @Override
        public int read(long position, ByteBuffer target) throws IOException {
            int read = 0;
            while (target.hasRemaining()) {
                int more = channel.read(target, position + read);
                if (more < 0) {
                    break;
                }
                read += more;
            }
            return read;
        }

        @Override
        public void sync() throws IOException {
            throw readOnly(path);
        }

        @Override
        public long size() throws IOException {
            return channel.size();
        }

        @Override
        public void truncate(long length) throws IOException {
            throw readOnly(path);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
