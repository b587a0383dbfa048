// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.runtime.DiskSpace;

/**
 * A file that holds nothing but room on the disk, to be released when others have filled all of it: opening the
 * metadata, recovering logs and deleting topics write a little first, and would fail without it. A server that runs
 * gives up half of it, and the rest is for its next start.
 *
 * <p>Thread-safe.
 */
public final class Ballast {
    /** Name of the file in the data directory. */
    static final String FILE = "ballast";

    private static final Logger LOG = LoggerFactory.getLogger(Ballast.class);
    /** More than the metadata's memory, which an opening writes out. */
    private static final long BYTES = 16L << 20;
    /** The divisor that bounds the ballast on a small disk. */
    private static final int LARGEST_PART = 20;
    /** Half of it is released with less than that part of it left on the disk. */
    private static final int LAST_PART = 4;

    private static final int PIECE_BYTES = 1 << 20;

    private final Path data;
    private final Path file;
    private final DiskSpace.Probe probe;

    @GuardedBy("this")
    private boolean failed; // to be made, and is not tried again

    @GuardedBy("this")
    private boolean halved; // or not there

    /** A ballast in a data directory, which need not exist yet. */
    public Ballast(Path data, DiskSpace.Probe probe) {
        this.data = data;
        this.probe = probe;
        file = data.resolve(FILE);
    }

    private long bytes() {
        return Math.min(BYTES, probe.totalBytes(data) / LARGEST_PART);
    }

    /** Gives the room up if a start would find too little. */
    public synchronized void releaseForStart() {
        halved = true; // as long as it is not known
        if (Files.exists(file) && probe.freeBytes(data) < bytes()) {
            release(() -> Files.delete(file));
        }
    }

    /**
     * Gives half of the room up if there is almost none left, or takes it again.
     *
     * @param isShort whether the disk has less room than is kept in reserve
     */
    public synchronized void check(boolean isShort) {
        if (!halved && probe.freeBytes(data) < bytes() / LAST_PART) {
            halved = true;
            release(this::halve);
        } else if (halved && !isShort && !failed && probe.freeBytes(data) > 2 * bytes()) {
            make();
        }
    }

    private void halve() throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(channel.size() / 2);
        }
    }

    /** A way to give room up. */
    private interface Release {
        void run() throws IOException;
    }

    private void release(Release how) {
        try {
            how.run();
            LOG.warn("disk full, ballast released: free disk space path={}", data);
        } catch (IOException e) {
            LOG.warn("ballast release failed path={} cause={}", file, e.toString());
        }
    }

    @GuardedBy("this")
    private void make() {
        Path begun = data.resolve(FILE + ".new");
        try {
            if (!Files.exists(file) || Files.size(file) < bytes()) {
                write(begun);
                Files.move(begun, file, StandardCopyOption.REPLACE_EXISTING);
            }
            halved = false;
        } catch (IOException e) {
            failed = true;
            LOG.info("no ballast: a start on a full disk may fail cause={}", e.toString());
            deleteBegun(begun);
        }
    }

    private void write(Path begun) throws IOException {
        Files.deleteIfExists(begun);
        ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
        try (FileChannel channel = FileChannel.open(
                begun,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            for (long left = bytes(); left > 0; ) {
                left -= channel.write(piece.clear().limit((int) Math.min(PIECE_BYTES, left)));
            }
        }
    }

    private static void deleteBegun(Path begun) {
        try {
            Files.deleteIfExists(begun);
        } catch (IOException e) {
            LOG.info("file not deleted path={} cause={}", begun, e.toString());
        }
    }
}
