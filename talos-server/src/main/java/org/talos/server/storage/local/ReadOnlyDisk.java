// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.storage.journal.StoredFile;

/**
 * The machine's file system, read-only: every change fails. Files have the names that the next start will give them
 * ({@link RenamedFiles}). Thread-safe.
 */
final class ReadOnlyDisk implements Disk {
    private static final Logger LOG = LoggerFactory.getLogger(ReadOnlyDisk.class);

    private final Disk disk = new RealDisk();

    @Override
    public StoredFile create(Path path) throws IOException {
        throw readOnly(path);
    }

    @Override
    public StoredFile open(Path path) throws IOException {
        return new ReadOnlyFile(path, FileChannel.open(there(path), StandardOpenOption.READ));
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
        try {
            return disk.exists(there(path));
        } catch (IOException e) {
            LOG.debug("directory cannot be listed path={}", path, e);
            return false; // as java.nio.file.Files answers it
        }
    }

    @Override
    public boolean isDirectory(Path path) {
        return disk.isDirectory(path);
    }

    @Override
    public void deleteIfExists(Path path) throws IOException {
        throw readOnly(path);
    }

    @Override
    public void move(Path from, Path to) throws IOException {
        throw readOnly(from);
    }

    @Override
    public Optional<String> lifeOf(Path path) throws IOException {
        return disk.lifeOf(path);
    }

    @Override
    public Optional<String> attachmentOf(Path path) throws IOException {
        return disk.attachmentOf(path);
    }

    /** Keeps servers out while it is held, and admits other readers. If there is no lock file, none is created. */
    @Override
    public Optional<Closeable> lock(Path path) throws IOException {
        if (!disk.exists(path)) {
            return Optional.of(() -> {});
        }
        return Disk.locked(FileChannel.open(path, StandardOpenOption.READ), true);
    }

    @Override
    public List<Path> list(Path directory) throws IOException {
        return disk.list(directory).stream().map(DiskPaths::named).sorted().toList();
    }

    /** Returns the path of a file, which may still have another name. */
    private Path there(Path path) throws IOException {
        if (disk.exists(path)) {
            return path;
        }
        return disk.list(DiskPaths.parent(path)).stream()
                .filter(file -> DiskPaths.named(file).equals(path))
                .findFirst()
                .orElse(path);
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
            return ChannelFile.read(channel, position, target);
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
