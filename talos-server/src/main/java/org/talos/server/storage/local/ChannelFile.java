// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.local;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.memory.Buffers;
import org.talos.server.storage.journal.StoredFile;

/**
 * A file of the machine's own disk. Large writes bypass the page cache where the file system allows it: filling fresh
 * pages with bytes that are not read soon costs a multiple of handing them to the disk.
 *
 * <p>Thread-safe.
 */
final class ChannelFile implements StoredFile {
    private static final Logger LOG = LoggerFactory.getLogger(ChannelFile.class);
    /** Below this size, waiting for the disk costs more than the pages. */
    private static final int DIRECT_FROM_BYTES = 64 << 10;

    private static final Optional<OpenOption> DIRECT = directOption();

    private final Path path;
    private final Staging staging;
    private final FileChannel channel;
    private final Opener directOpener;

    @GuardedBy("this")
    private @Nullable FileChannel direct; // opened by the first large write

    @GuardedBy("this")
    private boolean indirectOnly;

    /** Opens a file with these options. */
    ChannelFile(Path path, Staging staging, OpenOption... more) throws IOException {
        this(path, staging, ChannelFile::openDirect, more);
    }

    /** Opens a file for writes past the page cache. */
    @FunctionalInterface
    interface Opener {
        /**
         * Opens it.
         *
         * @throws IOException the file system takes no such writes
         */
        FileChannel open(Path path) throws IOException;
    }

    ChannelFile(Path path, Staging staging, Opener directOpener, OpenOption... more) throws IOException {
        this.path = path;
        this.staging = staging;
        this.directOpener = directOpener;
        Set<OpenOption> options = new HashSet<>(List.of(more));
        options.add(StandardOpenOption.READ);
        options.add(StandardOpenOption.WRITE);
        channel = FileChannel.open(path, options, Disk.OWNERS_FILE);
    }

    /** The remaining bytes of a write. Confined: to the write. */
    private static final class Source {
        private final List<ByteBuffer> buffers;
        private int next;
        private int done; // of the next one, whose position others see
        private long left;

        Source(List<ByteBuffer> buffers) {
            this.buffers = buffers;
            left = Buffers.bytes(buffers);
        }

        /** Fills the target up to its limit, or with all remaining bytes. */
        void fill(ByteBuffer target) {
            while (target.hasRemaining() && next < buffers.size()) {
                ByteBuffer from = buffers.get(next);
                int bytes = Math.min(from.remaining() - done, target.remaining());
                target.put(target.position(), from, from.position() + done, bytes);
                target.position(target.position() + bytes);
                done += bytes;
                left -= bytes;
                if (done == from.remaining()) {
                    next++;
                    done = 0;
                }
            }
        }
    }

    @Override
    public void write(long position, List<ByteBuffer> bytes) throws IOException {
        write(position, bytes, false);
    }

    @Override
    public void writeThrough(long position, List<ByteBuffer> bytes) throws IOException {
        write(position, bytes, true);
    }

    private void write(long position, List<ByteBuffer> bytes, boolean through) throws IOException {
        Source source = new Source(bytes);
        @Nullable FileChannel past = through && source.left >= DIRECT_FROM_BYTES ? direct() : null;
        ByteBuffer buffer = staging.take();
        try {
            long at = position;
            while (source.left > 0) {
                int step = step(at, source.left, past != null);
                boolean whole = step % Staging.BLOCK_BYTES == 0 && at % Staging.BLOCK_BYTES == 0;
                source.fill(buffer.clear().limit(step));
                if (past != null && whole) {
                    past = writePast(past, at, buffer.flip());
                } else {
                    writeAll(channel, at, buffer.flip());
                }
                at += step;
            }
        } finally {
            staging.giveBack(buffer);
        }
    }

    /**
     * Returns the number of bytes to write at once: only whole blocks bypass the page cache, so the bytes before and
     * behind them are written separately.
     */
    private static int step(long at, long left, boolean wholeBlocks) {
        int most = (int) Math.min(left, Staging.BYTES);
        if (!wholeBlocks) {
            return most;
        }
        int toBoundary = (int) (-at & (Staging.BLOCK_BYTES - 1));
        if (toBoundary > 0) {
            return Math.min(toBoundary, most);
        }
        return most < Staging.BLOCK_BYTES ? most : most - most % Staging.BLOCK_BYTES;
    }

    /**
     * Writes past the page cache, or through it where the file system has opened the file for that and refuses the
     * write, as one with larger blocks does. A write that fails for another reason fails again.
     *
     * @return channel for the next write; null: through the page cache
     */
    private @Nullable FileChannel writePast(FileChannel past, long position, ByteBuffer buffer) throws IOException {
        try {
            writeAll(past, position, buffer);
            return past;
        } catch (IOException | UnsupportedOperationException e) {
            writeAll(channel, position, buffer.rewind());
            refused(e);
            return null;
        }
    }

    private static void writeAll(FileChannel to, long position, ByteBuffer buffer) throws IOException {
        long at = position;
        while (buffer.hasRemaining()) {
            at += to.write(buffer, at);
        }
    }

    /** By name, since it is outside of the Java platform's specification; empty where there is none. */
    private static Optional<OpenOption> directOption() {
        try {
            Object[] options =
                    Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants();
            return Stream.of(options)
                    .map(OpenOption.class::cast)
                    .filter(option -> option.toString().equals("DIRECT"))
                    .findFirst();
        } catch (ClassNotFoundException e) {
            LOG.info("no direct writes on this Java", e);
            return Optional.empty();
        }
    }

    private static FileChannel openDirect(Path path) throws IOException {
        return FileChannel.open(
                path,
                StandardOpenOption.WRITE,
                DIRECT.orElseThrow(() -> new UnsupportedOperationException("not on this Java")));
    }

    private synchronized @Nullable FileChannel direct() {
        if (direct == null && !indirectOnly) {
            try {
                direct = directOpener.open(path);
            } catch (IOException | UnsupportedOperationException e) {
                refused(e);
            }
        }
        return indirectOnly ? null : direct;
    }

    private synchronized void refused(Exception cause) {
        indirectOnly = true; // an open channel is closed with the file: another write may be using it
        staging.indirect(path, cause);
    }

    @Override
    public int read(long position, ByteBuffer target) throws IOException {
        return read(channel, position, target);
    }

    /** Fills the target from a position on, as far as the file goes. */
    static int read(FileChannel channel, long position, ByteBuffer target) throws IOException {
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
        FileChannel past = takeDirect();
        try {
            if (past != null) {
                past.close();
            }
        } finally {
            channel.close();
        }
    }

    private synchronized @Nullable FileChannel takeDirect() {
        @Nullable FileChannel opened = direct;
        direct = null;
        indirectOnly = true;
        return opened;
    }
}
