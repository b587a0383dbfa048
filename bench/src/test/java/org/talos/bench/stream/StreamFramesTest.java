// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StreamFramesTest {
    private final StreamFrames frames = new StreamFrames();

    private static ByteBuffer bytes(String hex) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
    }

    private String next(ByteBuffer in) throws IOException {
        return StandardCharsets.UTF_8
                .decode(Objects.requireNonNull(frames.next(in)))
                .toString();
    }

    @ParameterizedTest
    @CsvSource({"5, 828500000000", "125, 82fd00000000", "126, 82fe007e00000000", "65535, 82feffff00000000"})
    void framesOfTheClientHaveTheShortestLengthAndAMaskOfZero(int bytes, String head) {
        ByteBuffer frame = StreamFrames.of(ByteBuffer.allocate(bytes).put(bytes - 1, (byte) 9));

        assertThat(frame.remaining()).isEqualTo(head.length() / 2 + bytes);
        assertThat(frame.slice(0, head.length() / 2)).isEqualTo(bytes(head));
        assertThat(frame.get(frame.limit() - 1)).isEqualTo((byte) 9);
    }

    @Test
    void longFrameOfTheClientHasALengthOfEightBytes() {
        assertThat(StreamFrames.of(ByteBuffer.allocate(65_536)).slice(0, 10)).isEqualTo(bytes("82ff0000000000010000"));
    }

    @Test
    void messagesOfTheServerAreTakenOnceTheyAreWhole() throws IOException {
        ByteBuffer in = bytes("8202" + "6869" + "8203" + "796573");

        assertThat(frames.next(in.limit(3))).isNull();
        assertThat(in.position()).isZero();
        assertThat(next(in.limit(4))).isEqualTo("hi");
        assertThat(frames.next(in.limit(6))).isNull();
        assertThat(next(in.limit(in.capacity()))).isEqualTo("yes");
        assertThat(frames.next(in)).isNull();
    }

    @Test
    void messagesOfSeveralFramesAreJoinedAndHeartbeatsAreSkipped() throws IOException {
        ByteBuffer in = bytes("8a00" + "0201" + "61" + "8900" + "0001" + "62" + "8001" + "63" + "8201" + "64");

        assertThat(next(in)).isEqualTo("abc");
        assertThat(next(in)).isEqualTo("d");
        assertThat(in.hasRemaining()).isFalse();
    }

    @Test
    void longMessagesOfTheServerAreRead() throws IOException {
        ByteBuffer medium = ByteBuffer.allocate(304)
                .put(bytes("827e012c"))
                .put(303, (byte) 'x')
                .rewind();
        ByteBuffer large =
                ByteBuffer.allocate(310).put(bytes("827f000000000000012c")).rewind();

        assertThat(next(medium)).hasSize(300).endsWith("x");
        assertThat(next(large)).hasSize(300);
    }

    @Test
    void closedStreamIsAFailureWithItsReason() {
        assertThatThrownBy(() -> frames.next(bytes("8805" + "03f0" + "627965")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("closed by the server")
                .hasMessageContaining("bye");
    }
}
