// SPDX-License-Identifier: Apache-2.0
package org.talos.common.message;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import org.talos.thrift.MessageCompressionType;
import org.xerial.snappy.Snappy;
import org.xerial.snappy.SnappyOutputStream;

/**
 * Compresses and decompresses the bytes of a block, in the framings of the contract: a xerial stream for Snappy, one
 * member for gzip, one frame for zstd, a little-endian length and a raw block for LZ4.
 *
 * <p>Thread-safe.
 */
final class BlockCompression {
    private static final int ZSTD_LEVEL = 5;
    private static final int LZ4_MAX_BYTES = 0x7E000000;
    private static final byte[] XERIAL_MAGIC = {(byte) 0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0};
    private static final int XERIAL_HEADER_BYTES = XERIAL_MAGIC.length + 2 * Integer.BYTES;
    private static final int XERIAL_CHUNK_BYTES = 32 << 10;

    private BlockCompression() {}

    /** Compresses the bytes of a block. */
    static byte[] compress(MessageCompressionType type, byte[] plain) {
        try {
            return switch (type) {
                case NONE -> plain;
                case SNAPPY -> snappy(plain);
                case GZIP -> gzip(plain);
                case ZSTD -> Zstd.compress(plain, ZSTD_LEVEL);
                case LZ4 -> lz4(plain);
            };
        } catch (IOException e) {
            throw new UncheckedIOException("in memory", e);
        }
    }

    /** Decompresses a block of at most {@code maxBytes}; no length that the block declares is believed. */
    static byte[] decompress(MessageCompressionType type, byte[] block, long maxBytes) throws MalformedBlockException {
        try {
            byte[] plain = switch (type) {
                case NONE -> block;
                case SNAPPY -> unSnappy(block, maxBytes);
                case GZIP -> {
                    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(block))) {
                        yield BoundedBytes.readAll(in, maxBytes);
                    }
                }
                case ZSTD -> {
                    try (InputStream in = new ZstdInputStream(new ByteArrayInputStream(block))) {
                        yield BoundedBytes.readAll(in, maxBytes);
                    }
                }
                case LZ4 -> unLz4(block, maxBytes);
            };
            if (plain.length > maxBytes) {
                throw new MalformedBlockException("the block holds more than " + maxBytes + " bytes");
            }
            return plain;
        } catch (IOException | LZ4Exception | IllegalArgumentException e) {
            throw new MalformedBlockException("not a " + type + " block", e);
        }
    }

    private static byte[] snappy(byte[] plain) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(plain.length / 2 + XERIAL_HEADER_BYTES);
        try (OutputStream out = new SnappyOutputStream(bytes, XERIAL_CHUNK_BYTES)) {
            out.write(plain);
        }
        return bytes.toByteArray();
    }

    // Not SnappyInputStream, which allocates what a chunk declares.
    private static byte[] unSnappy(byte[] block, long maxBytes) throws IOException, MalformedBlockException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        if (!startsWith(block, XERIAL_MAGIC)) {
            unSnappyChunk(block, 0, block.length, maxBytes, out);
            return out.toByteArray();
        }
        ByteBuffer in = ByteBuffer.wrap(block);
        if (block.length < XERIAL_HEADER_BYTES) {
            throw new MalformedBlockException("a Snappy stream cut in its header");
        }
        in.position(XERIAL_HEADER_BYTES);
        while (in.hasRemaining()) {
            int length = in.remaining() < Integer.BYTES ? -1 : in.getInt();
            if (length < 0 || length > in.remaining()) {
                throw new MalformedBlockException("a Snappy stream cut in a chunk");
            }
            unSnappyChunk(block, in.position(), length, maxBytes, out);
            in.position(in.position() + length);
        }
        return out.toByteArray();
    }

    private static void unSnappyChunk(byte[] block, int at, int length, long maxBytes, ByteArrayOutputStream out)
            throws IOException, MalformedBlockException {
        if (length == 0) {
            throw new MalformedBlockException("an empty Snappy chunk");
        }
        long plain = Snappy.uncompressedLength(block, at, length);
        // Snappy's best ratio is about 1:21; a declared length far above that is wrong, and would be allocated.
        if (plain < 0 || out.size() + plain > maxBytes || plain > 64L * length + 64) {
            throw new MalformedBlockException("a Snappy chunk that claims " + plain + " bytes");
        }
        byte[] target = new byte[(int) plain];
        int written = Snappy.uncompress(block, at, length, target, 0);
        out.write(target, 0, written);
    }

    private static byte[] gzip(byte[] plain) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(plain.length / 2 + 32);
        try (OutputStream out = new GZIPOutputStream(bytes)) {
            out.write(plain);
        }
        return bytes.toByteArray();
    }

    private static byte[] lz4(byte[] plain) {
        if (plain.length > LZ4_MAX_BYTES) {
            throw new IllegalArgumentException(
                    "plain: " + plain.length + " bytes (expected: 0.." + LZ4_MAX_BYTES + ")");
        }
        byte[] block = LZ4Factory.fastestInstance().fastCompressor().compress(plain);
        return ByteBuffer.allocate(Integer.BYTES + block.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(plain.length)
                .put(block)
                .array();
    }

    private static byte[] unLz4(byte[] block, long maxBytes) throws MalformedBlockException {
        if (block.length < Integer.BYTES) {
            throw new MalformedBlockException("an LZ4 block cut in its length");
        }
        long plain = Integer.toUnsignedLong(
                ByteBuffer.wrap(block).order(ByteOrder.LITTLE_ENDIAN).getInt());
        int compressed = block.length - Integer.BYTES;
        // LZ4's best ratio is 1:255; a declared length above that is wrong, and would be allocated.
        if (plain > maxBytes || plain > LZ4_MAX_BYTES || plain > 255L * compressed + 64) {
            throw new MalformedBlockException("an LZ4 block that claims " + plain + " bytes");
        }
        if (plain == 0) {
            return new byte[0];
        }
        byte[] target = new byte[(int) plain];
        int written = LZ4Factory.safeInstance()
                .safeDecompressor()
                .decompress(block, Integer.BYTES, compressed, target, 0, target.length);
        if (written != target.length) {
            throw new MalformedBlockException("an LZ4 block of " + written + " bytes that claims " + plain);
        }
        return target;
    }

    private static boolean startsWith(byte[] bytes, byte[] prefix) {
        return bytes.length >= prefix.length && Arrays.equals(bytes, 0, prefix.length, prefix, 0, prefix.length);
    }
}
