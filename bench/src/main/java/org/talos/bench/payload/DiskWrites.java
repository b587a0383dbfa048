// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.payload;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;

/**
 * The carrier that carries nothing: writes the messages' bytes to the disk that the server has, one after another and
 * without a sync, to files as large as the server's segments, of which it keeps as many. No server that stores bytes is
 * faster than that.
 *
 * <p>Confined: the sweep's thread.
 */
final class DiskWrites implements Carrier {
    static final String LABEL = "disk";
    /** The case that a claim compares with: neither a delay nor clients change the disk. */
    static final Cell CELL = new Cell(0, 1 << 20, 1);

    /** Of a file, after which the one before is deleted. */
    static final long FILE_BYTES = 64 << 20;

    private static final double NANOS_PER_SECOND = 1e9;
    private static final double BYTES_PER_MEGABYTE = 1e6;

    private final Path folder;
    private final Loop loop;
    private final long seed;

    /** @param folder of the disk; nothing stays in it */
    DiskWrites(Path folder, Loop loop, long seed) {
        this.folder = folder;
        this.loop = loop;
        this.seed = seed;
    }

    @Override
    public String label() {
        return LABEL;
    }

    @Override
    public boolean carries(Cell cell) {
        return cell.equals(CELL);
    }

    @Override
    public PayloadFigures measure(Cell cell, Way way) throws IOException {
        byte[] bytes = new byte[cell.size()];
        new SplittableRandom(seed).nextBytes(bytes);
        ByteBuffer message = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
        try (Written disk = new Written(folder)) {
            disk.write(message, loop.warmUp().toNanos());
            long begin = System.nanoTime();
            long written = disk.write(message, loop.measured().toNanos());
            double seconds = (System.nanoTime() - begin) / NANOS_PER_SECOND;
            return PayloadFigures.ofBytes(LABEL, cell, written / BYTES_PER_MEGABYTE / seconds, seconds);
        }
    }

    /** The file that is written, and the one before. Confined: as the carrier. */
    private static final class Written implements AutoCloseable {
        private final Path current;
        private final Path previous;
        private FileChannel open;

        Written(Path folder) throws IOException {
            current = folder.resolve("disk-writes");
            previous = folder.resolve("disk-writes-previous");
            open = next();
        }

        private FileChannel next() throws IOException {
            if (Files.exists(current)) {
                Files.move(current, previous, StandardCopyOption.REPLACE_EXISTING);
            }
            return FileChannel.open(current, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        }

        /** Writes the message repeatedly for the given time. Returns the number of bytes. */
        long write(ByteBuffer message, long nanos) throws IOException {
            long begin = System.nanoTime();
            long written = 0;
            while (System.nanoTime() - begin < nanos) {
                if (open.position() >= FILE_BYTES) {
                    open.close();
                    open = next();
                }
                message.rewind();
                while (message.hasRemaining()) {
                    written += open.write(message);
                }
            }
            return written;
        }

        @Override
        public void close() throws IOException {
            open.close();
            Files.deleteIfExists(current);
            Files.deleteIfExists(previous);
        }
    }
}
