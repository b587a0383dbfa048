// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.hdfs;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.talos.common.error.Effect;
import org.talos.server.storage.StorageException;
import org.talos.server.storage.StorageException.Reason;
import org.talos.server.storage.journal.JournalFormat;

/**
 * The header of every file of a segment; all numbers big-endian. Immutable.
 *
 * <pre>
 * 8  "TALOSSEG"
 * 4  format version, 1
 * 8  session in whose journals more of the segment may be; 0: in none
 * 8  position in the segment of the first byte that follows
 * 4  CRC-32C of the 28 bytes above
 * </pre>
 *
 * @param session 0 for none
 * @param position 0 for the first part
 */
record PartHeader(long session, long position) {
    static final int BYTES = 32;
    private static final int VERSION = 1;
    private static final byte[] MAGIC = "TALOSSEG".getBytes(StandardCharsets.US_ASCII);

    ByteBuffer encode() {
        ByteBuffer header = ByteBuffer.allocate(BYTES);
        header.put(MAGIC).putInt(VERSION).putLong(session).putLong(position);
        return header.putInt(JournalFormat.crc(header.array(), 0, header.position()))
                .flip();
    }

    /**
     * Returns the header in these bytes; empty if they are too few: then the file's writer never wrote more.
     *
     * @throws StorageException CORRUPT: damaged, or of another version
     */
    static Optional<PartHeader> decode(ByteBuffer in, String name) throws StorageException {
        if (in.remaining() < BYTES) {
            return Optional.empty();
        }
        byte[] bytes = new byte[BYTES];
        in.get(bytes);
        ByteBuffer header = ByteBuffer.wrap(bytes);
        byte[] magic = new byte[MAGIC.length];
        header.get(magic);
        int version = header.getInt();
        PartHeader read = new PartHeader(header.getLong(), header.getLong());
        boolean whole =
                Arrays.equals(magic, MAGIC) && header.getInt() == JournalFormat.crc(bytes, 0, BYTES - Integer.BYTES);
        if (!whole) {
            throw new StorageException(Reason.CORRUPT, Effect.NONE, name + " has a damaged header", null);
        }
        if (version != VERSION) {
            throw new StorageException(
                    Reason.CORRUPT,
                    Effect.NONE,
                    name + " has format version " + version + " (expected: " + VERSION + ")",
                    null);
        }
        return Optional.of(read);
    }
}
