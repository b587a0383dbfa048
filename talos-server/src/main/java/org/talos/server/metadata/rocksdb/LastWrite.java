// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.rocksdb;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.Set;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.metadata.MetadataException.Reason;

/**
 * A file beside the database that says how far it was written: a database that lacks its last writes opens like any
 * other, since its log ends wherever it ends.
 *
 * <p>Each write is noted once it is on the disk. The note itself is not synced: it outlives the process, and after a
 * power failure it may be an earlier one, which asks for less.
 *
 * <pre>
 * 8  "TALOSROW"
 * 4  format version, 1
 * 8  RocksDB's number of the last write
 * 4  CRC-32C of the 20 bytes above
 * </pre>
 *
 * <p>Thread-safe.
 */
final class LastWrite implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LastWrite.class);
    private static final byte[] MAGIC = "TALOSROW".getBytes(StandardCharsets.US_ASCII);
    private static final int VERSION = 1;
    private static final int BYTES = 24;

    private final FileChannel file;

    @GuardedBy("this")
    private long noted = -1;

    private LastWrite(FileChannel file) {
        this.file = file;
    }

    /** Opens the file, or makes it. */
    static LastWrite open(Path path) throws IOException {
        return new LastWrite(FileChannel.open(
                path,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))));
    }

    /**
     * The last write that was noted; empty if none was, or if the note is torn by a power failure.
     *
     * @throws MetadataException UNKNOWN_FORMAT: another version has written it
     */
    static OptionalLong read(Path path) throws IOException, MetadataException {
        if (!Files.exists(path)) {
            return OptionalLong.empty();
        }
        byte[] bytes = Files.readAllBytes(path);
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, Math.min(bytes.length, BYTES - Integer.BYTES));
        ByteBuffer in = ByteBuffer.wrap(bytes);
        byte[] magic = new byte[MAGIC.length];
        if (bytes.length != BYTES || in.getInt(BYTES - Integer.BYTES) != (int) crc.getValue()) {
            LOG.warn("last metadata write unknown: its marker is torn file={}", path);
            return OptionalLong.empty();
        }
        int version = in.get(magic).getInt();
        if (!Arrays.equals(magic, MAGIC) || version != VERSION) {
            throw new MetadataException(
                    Reason.UNKNOWN_FORMAT,
                    Effect.NONE,
                    path + " has format version " + version + " (expected: " + VERSION + ")");
        }
        return OptionalLong.of(in.getLong());
    }

    /** Notes a write that is on the disk. A note that fails leaves an earlier one, and fails no write. */
    synchronized void reached(long sequence) {
        if (sequence <= noted) {
            return;
        }
        ByteBuffer note = ByteBuffer.allocate(BYTES).put(MAGIC).putInt(VERSION).putLong(sequence);
        CRC32C crc = new CRC32C();
        crc.update(note.array(), 0, note.position());
        note.putInt((int) crc.getValue()).flip();
        try {
            int written = file.write(note, 0);
            noted = written == BYTES ? sequence : noted;
        } catch (IOException e) {
            LOG.warn("marker of the last metadata write not written cause={}", e.toString());
        }
    }

    /** Brings the note to the disk. */
    synchronized void sync() {
        try {
            file.force(true);
        } catch (IOException e) {
            LOG.warn("marker of the last metadata write not written cause={}", e.toString());
        }
    }

    @Override
    public void close() {
        sync();
        try {
            file.close();
        } catch (IOException e) {
            LOG.warn("marker of the last metadata write not closed cause={}", e.toString());
        }
    }
}
