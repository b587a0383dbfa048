// SPDX-License-Identifier: Apache-2.0
package org.talos.server.log;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.talos.server.log.checksum.Checksum;
import org.talos.server.log.checksum.Claims;

/**
 * An entry: one block in a segment. All numbers are big-endian.
 *
 * <pre>
 *  0  4  "TLEN"
 *  4  2  format version, 1
 *  6  2  index of the block in its put, from 0
 *  8  2  number of blocks of its put
 * 10  2  n, length of the sequence id
 * 12  4  a, length of the attributes
 * 16  4  b, length of the block
 * 20  4  number of messages
 * 24  4  compression
 * 28  8  offset of the first message
 * 36  8  create timestamp
 * 44  8  append timestamp
 * 52  4  CRC-32C of the block
 * 56  4  CRC-32C of bytes 0 to 55, the sequence id and the attributes
 * 60  n  sequence id, UTF-8
 *     a  attributes
 *     b  the block, as it came
 * </pre>
 *
 * <p>Immutable.
 */
final class EntryFormat {
    static final int VERSION = 1;
    static final int HEADER_BYTES = 60;
    static final int MAGIC = 0x544C454E;
    static final int MAX_SEQUENCE_ID_BYTES = 0xffff;
    static final int MAX_BLOCKS_OF_PUT = 0xffff;

    private static final int CRC_AT = 56;

    private EntryFormat() {}

    /** An entry's header, before the rest is known to be intact. */
    record Header(
            int version,
            int blockIndex,
            int blocksOfPut,
            int sequenceIdBytes,
            int attributeBytes,
            int blockBytes,
            int messages,
            int compression,
            long baseOffset,
            long createTimestamp,
            long appendTimestamp,
            int blockChecksum,
            int headChecksum) {
        int headBytes() {
            return HEADER_BYTES + sequenceIdBytes + attributeBytes;
        }

        long entryBytes() {
            return (long) HEADER_BYTES + sequenceIdBytes + attributeBytes + blockBytes;
        }

        /** Returns one past the last message. */
        long endOffset() {
            return baseOffset + messages;
        }

        boolean plausible() {
            return attributeBytes >= 0
                    && blockBytes >= 0
                    && messages > 0
                    && baseOffset >= 0
                    && blocksOfPut > blockIndex
                    && entryBytes() <= Integer.MAX_VALUE;
        }
    }

    /** A whole entry. */
    record Entry(Header header, String sequenceId, StoredBlock stored) {}

    /** Everything before the block's own bytes. */
    static ByteBuffer head(Put put, int index, int blockChecksum, long baseOffset, long appendTimestamp) {
        Block block = put.blocks().get(index);
        byte[] sequenceId = put.sequenceId().getBytes(StandardCharsets.UTF_8);
        int attributes = block.attributes().remaining();
        ByteBuffer head = ByteBuffer.allocate(HEADER_BYTES + sequenceId.length + attributes);
        head.putInt(MAGIC).putShort((short) VERSION);
        head.putShort((short) index).putShort((short) put.blocks().size());
        head.putShort((short) sequenceId.length)
                .putInt(attributes)
                .putInt(block.bytes().remaining());
        head.putInt(block.messages()).putInt(block.compression()).putLong(baseOffset);
        head.putLong(block.createTimestamp())
                .putLong(appendTimestamp)
                .putInt(blockChecksum)
                .putInt(0);
        head.put(sequenceId).put(block.attributes().duplicate());
        head.flip();
        return head.putInt(CRC_AT, headChecksum(head));
    }

    /** Returns the header at the buffer's position, which does not move; empty if no entry can begin here. */
    static Optional<Header> readHeader(ByteBuffer in) {
        if (in.remaining() < HEADER_BYTES || in.getInt(in.position()) != MAGIC) {
            return Optional.empty();
        }
        ByteBuffer from = in.duplicate();
        from.getInt();
        int version = from.getShort();
        int index = from.getShort() & 0xffff;
        int blocks = from.getShort() & 0xffff;
        int sequenceId = from.getShort() & 0xffff;
        Header header = new Header(
                version,
                index,
                blocks,
                sequenceId,
                from.getInt(),
                from.getInt(),
                from.getInt(),
                from.getInt(),
                from.getLong(),
                from.getLong(),
                from.getLong(),
                from.getInt(),
                from.getInt());
        return version != VERSION || header.plausible() ? Optional.of(header) : Optional.empty();
    }

    /** Returns whether everything before the block is intact. The buffer holds it, and does not move. */
    static boolean isHeadWhole(ByteBuffer in, Header header) {
        return headChecksum(in.slice(in.position(), header.headBytes())) == header.headChecksum();
    }

    /** Returns the entry at the buffer's position, if it is intact. The buffer holds all of it, and does not move. */
    static Optional<Entry> readEntry(ByteBuffer in, Header header) {
        byte[] head = new byte[header.headBytes()];
        in.duplicate().get(head);
        ByteBuffer block = in.slice(in.position() + head.length, header.blockBytes());
        if (headChecksum(ByteBuffer.wrap(head)) != header.headChecksum() || checksum(block) != header.blockChecksum()) {
            return Optional.empty();
        }
        String sequenceId = new String(head, HEADER_BYTES, header.sequenceIdBytes(), StandardCharsets.UTF_8);
        ByteBuffer attributes = ByteBuffer.wrap(head, HEADER_BYTES + header.sequenceIdBytes(), header.attributeBytes())
                .slice();
        return Optional.of(new Entry(
                header,
                sequenceId,
                new StoredBlock(
                        header.baseOffset(),
                        header.appendTimestamp(),
                        new Block(
                                header.messages(),
                                header.compression(),
                                header.createTimestamp(),
                                attributes,
                                block))));
    }

    /** Covers everything before the block except the checksum itself, which counts as zero. */
    private static int headChecksum(ByteBuffer head) {
        CRC32C crc = beginHeadChecksum(head);
        crc.update(head.slice(HEADER_BYTES, head.limit() - HEADER_BYTES));
        return (int) crc.getValue();
    }

    /**
     * Returns the checksum of the fixed fields of the head at the buffer's position; the sequence id and the attributes
     * must be added to it. The buffer does not move.
     */
    static CRC32C beginHeadChecksum(ByteBuffer in) {
        CRC32C crc = new CRC32C();
        crc.update(in.slice(in.position(), CRC_AT));
        return crc;
    }

    /** Claims that an entry begins at the buffer's position, where its header is. The buffer does not move. */
    static void claim(ByteBuffer in, Claims claims) {
        Header header = readHeader(in).orElseThrow();
        Checksum fixed = Checksum.of(in.slice(in.position(), CRC_AT));
        claims.claim(
                Checksum.of(in.slice(in.position(), HEADER_BYTES)),
                fixed.rest(header.headChecksum(), header.headBytes() - HEADER_BYTES),
                new Checksum(header.blockChecksum(), header.blockBytes()));
    }

    static int checksum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return (int) crc.getValue();
    }
}
