// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage.journal;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.talos.server.storage.LogId;
import org.talos.server.storage.SegmentName;

/**
 * The journal's bytes; all numbers big-endian.
 *
 * <pre>
 * file header   8  "TALOSJNL"
 *               4  format version, 2
 *               4  1: each batch was on the disk before the next was written; 0: in whatever order the system wrote them
 *               8  number of this file
 *               8  number of the file before it, or 0
 *               8  length of the file before it that counts; what lies behind was never acknowledged
 *               8  salt: random bits that no client knows
 *               4  CRC-32C of the 48 bytes above
 * batch         4  "JBAT"
 *               8  number of the batch, one more than the one before
 *               4  number of items
 *               4  length of the items in bytes
 *               4  CRC-32C of the items
 *               4  CRC-32C of the file's salt and the 24 bytes above: bytes that a client sent are never a batch
 * item          16 topic id
 *               4  partition
 *               8  base offset of the segment
 *               8  epoch of the segment
 *               8  position in the segment
 *               4  length, then the bytes; or -1: the segment was cut to the position
 * </pre>
 *
 * <p>Immutable.
 */
public final class JournalFormat {
    public static final int VERSION = 2;
    public static final int FILE_HEADER_BYTES = 52;
    public static final int BATCH_HEADER_BYTES = 28;
    public static final int ITEM_HEADER_BYTES = 48;

    /** The value of an item's length for the segment's end instead of bytes. */
    public static final int CUT = -1;

    static final int BATCH_MAGIC = 0x4A424154;
    private static final byte[] FILE_MAGIC = "TALOSJNL".getBytes(StandardCharsets.US_ASCII);
    private static final int HEX = 16;

    private JournalFormat() {}

    /** A file's statement of its place in the journal. */
    public record FileHeader(
            int version, boolean synced, long number, long previousNumber, long previousLength, long salt) {}

    /** A batch's claim, which its own checksum confirms. */
    public record BatchHeader(long number, int items, int bytes, int checksum) {}

    /** Bytes of a segment, or the position at which it was cut. */
    public record Item(SegmentName segment, long position, boolean cut, ByteBuffer bytes) {}

    /** Returns the beginning of each file, whatever was before it; a file without a header may have a part of it. */
    public static ByteBuffer fileMagic() {
        return ByteBuffer.wrap(FILE_MAGIC).asReadOnlyBuffer();
    }

    public static ByteBuffer fileHeader(
            long number, long previousNumber, long previousLength, long salt, boolean synced) {
        ByteBuffer header = ByteBuffer.allocate(FILE_HEADER_BYTES);
        header.put(FILE_MAGIC)
                .putInt(VERSION)
                .putInt(synced ? 1 : 0)
                .putLong(number)
                .putLong(previousNumber)
                .putLong(previousLength)
                .putLong(salt);
        return header.putInt(crc(header.array(), 0, header.position())).flip();
    }

    /** Returns the header, whatever its version; empty if these bytes are none, or damaged. */
    public static Optional<FileHeader> readFileHeader(ByteBuffer in) {
        if (in.remaining() < FILE_HEADER_BYTES) {
            return Optional.empty();
        }
        byte[] bytes = new byte[FILE_HEADER_BYTES];
        in.get(bytes);
        ByteBuffer header = ByteBuffer.wrap(bytes);
        byte[] magic = new byte[FILE_MAGIC.length];
        header.get(magic);
        FileHeader read = new FileHeader(
                header.getInt(),
                header.getInt() != 0,
                header.getLong(),
                header.getLong(),
                header.getLong(),
                header.getLong());
        boolean whole =
                Arrays.equals(magic, FILE_MAGIC) && header.getInt() == crc(bytes, 0, FILE_HEADER_BYTES - Integer.BYTES);
        return whole ? Optional.of(read) : Optional.empty();
    }

    public static ByteBuffer itemHeader(SegmentName segment, long position, int length) {
        LogId log = segment.log();
        ByteBuffer header = ByteBuffer.allocate(ITEM_HEADER_BYTES);
        String topic = log.topicId();
        header.putLong(Long.parseUnsignedLong(topic, 0, HEX, HEX));
        header.putLong(Long.parseUnsignedLong(topic, HEX, topic.length(), HEX));
        header.putInt(log.partition()).putLong(segment.baseOffset()).putLong(segment.epoch());
        return header.putLong(position).putInt(length).flip();
    }

    public static ByteBuffer batchHeader(long salt, long number, int items, int bytes, int checksum) {
        ByteBuffer header = ByteBuffer.allocate(BATCH_HEADER_BYTES);
        header.putInt(BATCH_MAGIC).putLong(number).putInt(items).putInt(bytes).putInt(checksum);
        return header.putInt(salted(salt, header.array())).flip();
    }

    /**
     * Returns the batch header at the buffer's position, which moves behind it; empty if there is none, or a damaged
     * one.
     */
    public static Optional<BatchHeader> readBatchHeader(long salt, ByteBuffer in) {
        if (in.remaining() < BATCH_HEADER_BYTES) {
            return Optional.empty();
        }
        byte[] bytes = new byte[BATCH_HEADER_BYTES];
        in.get(bytes);
        ByteBuffer header = ByteBuffer.wrap(bytes);
        boolean magic = header.getInt() == BATCH_MAGIC;
        BatchHeader read = new BatchHeader(header.getLong(), header.getInt(), header.getInt(), header.getInt());
        boolean whole = magic && header.getInt() == salted(salt, bytes);
        return whole && read.bytes >= 0 && read.items >= 0 ? Optional.of(read) : Optional.empty();
    }

    /** Returns the items of a batch whose checksum has been compared; empty if they do not fill it exactly. */
    public static Optional<List<Item>> readItems(ByteBuffer in, int count) {
        if (count > in.remaining() / ITEM_HEADER_BYTES) {
            return Optional.empty();
        }
        List<Item> items = new ArrayList<>(count);
        try {
            for (int i = 0; i < count; i++) {
                items.add(readItem(in));
            }
        } catch (IllegalArgumentException | BufferUnderflowException | IndexOutOfBoundsException e) {
            return Optional.empty(); // no such segment, or longer than the batch
        }
        return in.hasRemaining() ? Optional.empty() : Optional.of(items);
    }

    private static Item readItem(ByteBuffer in) {
        LogId log = new LogId(hex(in.getLong()) + hex(in.getLong()), in.getInt());
        SegmentName segment = new SegmentName(log, in.getLong(), in.getLong());
        long position = in.getLong();
        int length = in.getInt();
        boolean cut = length == CUT;
        ByteBuffer bytes = in.slice(in.position(), cut ? 0 : length);
        in.position(in.position() + bytes.remaining());
        return new Item(segment, position, cut, bytes);
    }

    private static int salted(long salt, byte[] batchHeader) {
        CRC32C crc = new CRC32C();
        for (int shift = Long.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
            crc.update((int) (salt >>> shift)); // its lowest byte
        }
        crc.update(batchHeader, 0, BATCH_HEADER_BYTES - Integer.BYTES);
        return (int) crc.getValue();
    }

    private static String hex(long number) {
        return HexFormat.of().toHexDigits(number);
    }

    public static int crc(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }

    public static int crc(List<ByteBuffer> buffers) {
        CRC32C crc = new CRC32C();
        for (ByteBuffer each : buffers) {
            crc.update(each.duplicate());
        }
        return (int) crc.getValue();
    }
}
