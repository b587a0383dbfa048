// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/** The file system, as much of it as the store uses. Thread-safe. */
interface Disk {
    /** The machine's own. */
    Disk REAL = new RealDisk();

    /** Makes a file that is not there yet, and its name durable. */
    DiskFile create(Path path) throws IOException;

    /** Opens a file that is there, for reading and writing. */
    DiskFile open(Path path) throws IOException;

    /** Makes directories, and their names durable. */
    void createDirectories(Path path) throws IOException;

    /** Makes the names in a directory durable. */
    void syncDirectory(Path directory) throws IOException;

    boolean exists(Path path);

    void deleteIfExists(Path path) throws IOException;

    /** Names in a directory, in order; none if there is no such directory. */
    List<Path> list(Path directory) throws IOException;

    /** Files of java.nio. Thread-safe. */
    final class RealDisk implements Disk {
        @Override
        public DiskFile create(Path path) throws IOException {
            DiskFile file = new ChannelFile(FileChannel.open(
                    path, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE));
            syncDirectory(DiskPaths.parent(path));
            return file;
        }

        @Override
        public DiskFile open(Path path) throws IOException {
            return new ChannelFile(FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE));
        }

        @Override
        public void createDirectories(Path path) throws IOException {
            if (!Files.isDirectory(path)) {
                createDirectories(DiskPaths.parent(path));
                Files.createDirectories(path);
                syncDirectory(DiskPaths.parent(path));
            }
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
        public void deleteIfExists(Path path) throws IOException {
            Files.deleteIfExists(path);
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
    }

    /** A file channel. Thread-safe. */
    final class ChannelFile implements DiskFile {
        private final FileChannel channel;

        ChannelFile(FileChannel channel) {
            this.channel = channel;
        }

        @Override
        public void write(long position, List<ByteBuffer> bytes) throws IOException {
            ByteBuffer[] buffers = new ByteBuffer[bytes.size()];
            long left = 0;
            for (int i = 0; i < buffers.length; i++) {
                buffers[i] = bytes.get(i).duplicate();
                left += buffers[i].remaining();
            }
            channel.position(position);
            int first = 0;
            while (left > 0) {
                left -= channel.write(buffers, first, buffers.length - first);
                while (first < buffers.length && !buffers[first].hasRemaining()) {
                    first++;
                }
            }
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
            channel.force(false);
        }

        @Override
        public long size() throws IOException {
            return channel.size();
        }

        @Override
        public void truncate(long length) throws IOException {
            channel.truncate(length);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
