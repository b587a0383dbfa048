// SPDX-License-Identifier: Apache-2.0
package org.talos.common.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.talos.thrift.MessageCompressionType;
import org.xerial.snappy.Snappy;
import org.xerial.snappy.SnappyOutputStream;

@Timeout(10)
class BlockCompressionTest {
    private static final int CHUNK_BYTES = 32 << 10;
    private static final int MAX_BYTES = 1 << 20;

    @ParameterizedTest
    @ValueSource(ints = {1, 100, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 5 * CHUNK_BYTES, 7 * CHUNK_BYTES + 99})
    void snappyIsByteForByteWhatItsLibraryWrites(int length) throws IOException {
        byte[] random = random(length);
        byte[] mixed = random.clone();
        Arrays.fill(mixed, 0, length / 2, (byte) 'x');

        for (byte[] plain : new byte[][] {random, mixed, new byte[length]}) {
            assertThat(bytes(BlockCompression.compress(MessageCompressionType.SNAPPY, plain)))
                    .isEqualTo(ofLibrary(plain));
        }
    }

    @ParameterizedTest
    @EnumSource(MessageCompressionType.class)
    void blockIsReadWhereItLiesInALargerArray(MessageCompressionType type) throws Exception {
        byte[] plain = random(3 * CHUNK_BYTES + 5);
        byte[] block = bytes(BlockCompression.compress(type, plain));
        ByteBuffer around =
                ByteBuffer.allocate(block.length + 20).position(13).put(block).flip();

        ByteBuffer read = BlockCompression.decompress(type, around.position(13), MAX_BYTES);

        assertThat(bytes(read)).isEqualTo(plain);
    }

    @Test
    void blockOutsideOfTheHeapIsRead() throws Exception {
        byte[] plain = random(1_000);
        byte[] block = bytes(BlockCompression.compress(MessageCompressionType.SNAPPY, plain));
        ByteBuffer direct = ByteBuffer.allocateDirect(block.length).put(block).flip();

        assertThat(bytes(BlockCompression.decompress(MessageCompressionType.SNAPPY, direct, MAX_BYTES)))
                .isEqualTo(plain);
    }

    @Test
    void snappyChunksTogetherStayWithinTheBound() throws IOException {
        byte[] block = ofLibrary(new byte[5 * CHUNK_BYTES]);

        assertThatThrownBy(() -> BlockCompression.decompress(
                        MessageCompressionType.SNAPPY, ByteBuffer.wrap(block), 5 * CHUNK_BYTES - 1))
                .isInstanceOf(MalformedBlockException.class);
    }

    @Test
    void snappyWithoutAStreamIsOneChunk() throws Exception {
        byte[] plain = random(500);

        assertThat(bytes(BlockCompression.decompress(
                        MessageCompressionType.SNAPPY, ByteBuffer.wrap(Snappy.compress(plain)), MAX_BYTES)))
                .isEqualTo(plain);
        assertThatThrownBy(() ->
                        BlockCompression.decompress(MessageCompressionType.SNAPPY, ByteBuffer.allocate(0), MAX_BYTES))
                .isInstanceOf(MalformedBlockException.class);
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static byte[] bytes(ByteBuffer of) {
        byte[] bytes = new byte[of.remaining()];
        of.duplicate().get(bytes);
        return bytes;
    }

    private static byte[] ofLibrary(byte[] plain) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = new SnappyOutputStream(bytes, CHUNK_BYTES)) {
            out.write(plain);
        }
        return bytes.toByteArray();
    }
}
