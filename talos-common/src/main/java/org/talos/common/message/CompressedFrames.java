// SPDX-License-Identifier: Apache-2.0
package org.talos.common.message;

import java.nio.ByteBuffer;
import org.talos.thrift.MessageCompressionType;

/**
 * Reads the plain length of a compressed block from its framing, without decompressing anything and without an
 * allocation, and refuses anything that cannot be such a block. A block that passes may still be broken.
 *
 * <p>Immutable.
 */
final class CompressedFrames {
    /** A declared length above this many times the bytes that are there is wrong: the best ratios, and a little. */
    private static final int SNAPPY_RATIO = 64;

    private static final int LZ4_RATIO = 255;
    private static final int GZIP_RATIO = 1_032;
    private static final int SMALL_BYTES = 64;

    private static final int GZIP_HEAD = 0x1f8b08; // and its only method
    private static final int GZIP_LEAST_BYTES = 18;
    private static final int ZSTD_MAGIC = 0xFD2FB528;
    private static final int ZSTD_BLOCK_HEAD_BYTES = 3;
    private static final int ZSTD_MOST_OF_BLOCK = 128 << 10;
    private static final int MAX_VARINT_BYTES = 5;

    private CompressedFrames() {}

    /** Returns the most bytes that a block holds when decompressed. The buffer's bytes are big-endian. */
    static long plainBytes(MessageCompressionType type, ByteBuffer in) throws MalformedBlockException {
        return switch (type) {
            case NONE -> in.remaining();
            case SNAPPY -> snappy(in);
            case GZIP -> gzip(in);
            case ZSTD -> zstd(in);
            case LZ4 -> lz4(in);
        };
    }

    private static long snappy(ByteBuffer in) throws MalformedBlockException {
        if (!BlockCompression.isXerialStream(in)) {
            return snappyChunk(in, in.position(), in.limit());
        }
        int at = in.position() + BlockCompression.XERIAL_HEADER_BYTES;
        if (at > in.limit()) {
            throw new MalformedBlockException("a Snappy block cut in its head");
        }
        long plain = 0;
        while (at < in.limit()) {
            int length = in.limit() - at < Integer.BYTES ? -1 : in.getInt(at);
            at += Integer.BYTES;
            if (length < 1 || length > in.limit() - at) {
                throw new MalformedBlockException("a Snappy stream cut in a chunk");
            }
            plain += snappyChunk(in, at, at + length);
            at += length;
        }
        return plain;
    }

    private static long snappyChunk(ByteBuffer in, int from, int to) throws MalformedBlockException {
        long plain = 0;
        for (int i = 0; i < MAX_VARINT_BYTES && from + i < to; i++) {
            byte next = in.get(from + i);
            plain |= (next & 0x7fL) << (7 * i);
            if (next >= 0) {
                return within("a Snappy chunk", plain, SNAPPY_RATIO, to - from);
            }
        }
        throw new MalformedBlockException("a Snappy chunk cut in its length");
    }

    private static long gzip(ByteBuffer in) throws MalformedBlockException {
        int bytes = in.remaining();
        if (bytes < GZIP_LEAST_BYTES || in.getInt(in.position()) >>> 8 != GZIP_HEAD) {
            throw new MalformedBlockException("not a GZIP block");
        }
        long plain = Integer.toUnsignedLong(Integer.reverseBytes(in.getInt(in.limit() - Integer.BYTES)));
        return within("a GZIP block", plain, GZIP_RATIO, bytes);
    }

    private static long lz4(ByteBuffer in) throws MalformedBlockException {
        int compressed = in.remaining() - Integer.BYTES;
        if (compressed < 1) {
            throw new MalformedBlockException("an LZ4 block cut in its length");
        }
        long plain = Integer.toUnsignedLong(Integer.reverseBytes(in.getInt(in.position())));
        if (plain > BlockCompression.LZ4_MAX_BYTES) {
            throw claims("an LZ4 block", plain);
        }
        return within("an LZ4 block", plain, LZ4_RATIO, compressed);
    }

    // RFC 8878: magic, descriptor, [window], [dictionary], [length], blocks of which the last is marked, [checksum].
    private static long zstd(ByteBuffer in) throws MalformedBlockException {
        if (in.remaining() < Integer.BYTES + 1 || Integer.reverseBytes(in.getInt(in.position())) != ZSTD_MAGIC) {
            throw new MalformedBlockException("not a ZSTD block");
        }
        int descriptor = in.get(in.position() + Integer.BYTES) & 0xff;
        int windowBytes = isSingle(descriptor) ? 0 : 1;
        int dictionaryBytes = 1 << (descriptor & 3) >> 1;
        int lengthBytes = zstdLengthBytes(descriptor);
        int lengthAt = in.position() + Integer.BYTES + 1 + windowBytes + dictionaryBytes;
        if (lengthAt + lengthBytes > in.limit()) {
            throw new MalformedBlockException("a ZSTD block cut in its head");
        }
        int checksumBytes = (descriptor & 4) == 0 ? 0 : Integer.BYTES;
        long most = zstdBlocks(in, lengthAt + lengthBytes, in.limit() - checksumBytes);
        long declared = lengthBytes == 0 ? most : zstdLength(in, lengthAt, lengthBytes);
        if (declared < 0 || declared > most) {
            throw claims("a ZSTD block", declared);
        }
        return declared;
    }

    private static boolean isSingle(int descriptor) {
        return (descriptor & 0x20) != 0;
    }

    private static int zstdLengthBytes(int descriptor) {
        return descriptor < 0x40 && !isSingle(descriptor) ? 0 : 1 << (descriptor >> 6);
    }

    /** Returns the most bytes that the blocks from here to an end hold. */
    private static long zstdBlocks(ByteBuffer in, int from, int end) throws MalformedBlockException {
        int at = from;
        long most = 0;
        int head;
        do {
            head = zstdBlockHead(in, at);
            int size = head >>> 3;
            int type = head >>> 1 & 3;
            most += type == 2 ? ZSTD_MOST_OF_BLOCK : size;
            at += ZSTD_BLOCK_HEAD_BYTES + (type == 1 ? 1 : size);
        } while ((head & 1) == 0 && at < end);
        if (at != end || (head & 1) == 0) {
            throw new MalformedBlockException("a ZSTD block that ends before its last frame or behind it");
        }
        return most;
    }

    private static int zstdBlockHead(ByteBuffer in, int at) throws MalformedBlockException {
        if (in.limit() - at < ZSTD_BLOCK_HEAD_BYTES) {
            throw new MalformedBlockException("a ZSTD block cut in a frame");
        }
        int head = (in.get(at) & 0xff) | (in.get(at + 1) & 0xff) << 8 | (in.get(at + 2) & 0xff) << 16;
        if ((head >>> 1 & 3) == 3 || head >>> 3 > ZSTD_MOST_OF_BLOCK) {
            throw new MalformedBlockException("a ZSTD block with a frame that is none");
        }
        return head;
    }

    private static long zstdLength(ByteBuffer in, int at, int bytes) {
        return switch (bytes) {
            case 1 -> in.get(at) & 0xff;
            case 2 -> (Short.reverseBytes(in.getShort(at)) & 0xffff) + 256;
            case 4 -> Integer.toUnsignedLong(Integer.reverseBytes(in.getInt(at)));
            default -> Long.reverseBytes(in.getLong(at));
        };
    }

    private static long within(String what, long plain, int ratio, int compressed) throws MalformedBlockException {
        if (plain > (long) ratio * compressed + SMALL_BYTES) {
            throw claims(what, plain);
        }
        return plain;
    }

    private static MalformedBlockException claims(String what, long plain) {
        return new MalformedBlockException(what + " that claims " + plain + " bytes");
    }
}
