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
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import org.talos.thrift.MessageCompressionType;
import org.xerial.snappy.Snappy;

/**
 * Compresses and decompresses the bytes of a block, in the framings of the contract: a xerial stream for Snappy, one
 * member for gzip, one frame for zstd, a little-endian length and a raw block for LZ4.
 *
 * <p>Thread-safe.
 */
final class BlockCompression {
    private static final int ZSTD_LEVEL = 5;
    static final int LZ4_MAX_BYTES = 0x7E000000;
    private static final byte[] XERIAL_MAGIC = {(byte) 0x82, 'S', 'N', 'A', 'P', 'P', 'Y', 0};
    static final int XERIAL_HEADER_BYTES = XERIAL_MAGIC.length + 2 * Integer.BYTES;
    private static final int XERIAL_VERSION = 1;
    private static final int XERIAL_CHUNK_BYTES = 32 << 10;

    private BlockCompression() {}

    /** Compresses the bytes of a block. The result may be the given array, or a part of a larger one. */
    static ByteBuffer compress(MessageCompressionType type, byte[] plain) {
        CompressionLibraries.require(type);
        try {
            return switch (type) {
                case NONE -> ByteBuffer.wrap(plain);
                case SNAPPY -> snappy(plain);
                case GZIP -> ByteBuffer.wrap(gzip(plain));
                case ZSTD -> ByteBuffer.wrap(Zstd.compress(plain, ZSTD_LEVEL));
                case LZ4 -> ByteBuffer.wrap(lz4(plain));
            };
        } catch (IOException e) {
            throw new UncheckedIOException("in memory", e);
        }
    }

    /**
     * Decompresses a block of at most {@code maxBytes}; no length that the block declares is believed.
     *
     * @return the block itself if it is not compressed, else bytes of their own; in an array either way
     * @throws MissingLibraryException this process cannot read blocks of this compression
     */
    static ByteBuffer decompress(MessageCompressionType type, ByteBuffer block, long maxBytes)
            throws MalformedBlockException {
        CompressionLibraries.require(type);
        ByteBuffer in = block.hasArray() ? block.slice() : copy(block);
        try {
            ByteBuffer plain = switch (type) {
                case NONE -> in;
                case SNAPPY -> unSnappy(in, maxBytes);
                case GZIP -> ByteBuffer.wrap(unGzip(in, maxBytes));
                case ZSTD -> {
                    try (InputStream stream = new ZstdInputStream(stream(in))) {
                        yield ByteBuffer.wrap(BoundedBytes.readAll(stream, maxBytes));
                    }
                }
                case LZ4 -> ByteBuffer.wrap(unLz4(in, maxBytes));
            };
            if (plain.remaining() > maxBytes) {
                throw MalformedBlockException.tooLarge(maxBytes);
            }
            return plain;
        } catch (IOException | LZ4Exception | IllegalArgumentException | ArithmeticException e) {
            throw new MalformedBlockException("not a " + type + " block", e);
        }
    }

    private static byte[] unGzip(ByteBuffer in, long maxBytes) throws IOException, MalformedBlockException {
        try (InputStream stream = new GZIPInputStream(stream(in))) {
            return BoundedBytes.readAll(stream, maxBytes);
        } catch (StackOverflowError e) { // the JDK calls itself for each empty member
            throw new MalformedBlockException("a GZIP block of very many empty members", e);
        }
    }

    private static ByteBuffer copy(ByteBuffer block) {
        return ByteBuffer.allocate(block.remaining()).put(block.duplicate()).flip();
    }

    private static InputStream stream(ByteBuffer in) {
        return new ByteArrayInputStream(in.array(), in.arrayOffset(), in.remaining());
    }

    // As SnappyOutputStream writes it, which copies everything twice more.
    private static ByteBuffer snappy(byte[] plain) throws IOException {
        int mostOfChunk = Integer.BYTES + Snappy.maxCompressedLength(XERIAL_CHUNK_BYTES);
        ByteBuffer out = ByteBuffer.allocate(XERIAL_HEADER_BYTES + plain.length / 2 + mostOfChunk);
        out.put(XERIAL_MAGIC).putInt(XERIAL_VERSION).putInt(XERIAL_VERSION);
        for (int at = 0; at < plain.length; at += XERIAL_CHUNK_BYTES) {
            if (out.remaining() < mostOfChunk) {
                int left = plain.length - at;
                out = ByteBuffer.allocate(out.position() + left + left / 8 + mostOfChunk)
                        .put(out.flip());
            }
            int bytes = Snappy.compress(
                    plain,
                    at,
                    Math.min(XERIAL_CHUNK_BYTES, plain.length - at),
                    out.array(),
                    out.position() + Integer.BYTES);
            out.putInt(bytes).position(out.position() + bytes);
        }
        return out.flip();
    }

    // Not SnappyInputStream, which allocates the declared size of a chunk. Reads the input twice, so that one
    // allocation is enough.
    private static ByteBuffer unSnappy(ByteBuffer block, long maxBytes) throws IOException, MalformedBlockException {
        boolean isStream = isXerialStream(block);
        if (block.remaining() < (isStream ? XERIAL_HEADER_BYTES : 1)) {
            throw new MalformedBlockException("a Snappy block cut in its head");
        }
        ByteBuffer chunks =
                isStream ? block.slice(XERIAL_HEADER_BYTES, block.remaining() - XERIAL_HEADER_BYTES) : block;
        long plain = 0;
        for (ByteBuffer in = chunks.duplicate(); in.hasRemaining(); ) {
            plain += plainBytes(snappyChunk(in, isStream));
            if (plain > maxBytes) {
                throw MalformedBlockException.tooLarge(maxBytes);
            }
        }
        byte[] target = new byte[Math.toIntExact(plain)];
        int end = 0;
        for (ByteBuffer in = chunks.duplicate(); in.hasRemaining(); ) {
            ByteBuffer chunk = snappyChunk(in, isStream);
            end += Snappy.uncompress(chunk.array(), chunk.arrayOffset(), chunk.remaining(), target, end);
        }
        return ByteBuffer.wrap(target);
    }

    /** Returns the next chunk of a stream, or all that there is. Moves the position behind it. */
    private static ByteBuffer snappyChunk(ByteBuffer in, boolean isStream) throws MalformedBlockException {
        int length = in.remaining();
        if (isStream) {
            length = length < Integer.BYTES ? -1 : in.getInt();
        }
        if (length < 0 || length > in.remaining()) {
            throw new MalformedBlockException("a Snappy stream cut in a chunk");
        }
        if (length == 0) {
            throw new MalformedBlockException("an empty Snappy chunk");
        }
        ByteBuffer chunk = in.slice(in.position(), length);
        in.position(in.position() + length);
        return chunk;
    }

    /** Returns the size of a decompressed chunk, as the chunk claims it. */
    private static long plainBytes(ByteBuffer chunk) throws IOException, MalformedBlockException {
        long plain = Snappy.uncompressedLength(chunk.array(), chunk.arrayOffset(), chunk.remaining());
        // Snappy's best ratio is about 1:21; a declared length far above that is wrong, and would be allocated.
        if (plain < 0 || plain > 64L * chunk.remaining() + 64) {
            throw new MalformedBlockException("a Snappy chunk that claims " + plain + " bytes");
        }
        return plain;
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

    private static byte[] unLz4(ByteBuffer block, long maxBytes) throws MalformedBlockException {
        if (block.remaining() < Integer.BYTES) {
            throw new MalformedBlockException("an LZ4 block cut in its length");
        }
        long plain = Integer.toUnsignedLong(
                block.duplicate().order(ByteOrder.LITTLE_ENDIAN).getInt());
        int compressed = block.remaining() - Integer.BYTES;
        // LZ4's best ratio is 1:255; a declared length above that is wrong, and would be allocated.
        if (plain > LZ4_MAX_BYTES || plain > 255L * compressed + 64) {
            throw new MalformedBlockException("an LZ4 block that claims " + plain + " bytes");
        }
        if (plain > maxBytes) {
            throw MalformedBlockException.tooLarge(maxBytes);
        }
        if (plain == 0) {
            return new byte[0];
        }
        byte[] target = new byte[(int) plain];
        int written = LZ4Factory.safeInstance()
                .safeDecompressor()
                .decompress(block.array(), block.arrayOffset() + Integer.BYTES, compressed, target, 0, target.length);
        if (written != target.length) {
            throw new MalformedBlockException("an LZ4 block of " + written + " bytes that claims " + plain);
        }
        return target;
    }

    /** Returns whether a Snappy block is a xerial stream; if not, it is one chunk. */
    static boolean isXerialStream(ByteBuffer block) {
        boolean is = block.remaining() >= XERIAL_MAGIC.length;
        for (int i = 0; is && i < XERIAL_MAGIC.length; i++) {
            is = block.get(block.position() + i) == XERIAL_MAGIC[i];
        }
        return is;
    }
}
