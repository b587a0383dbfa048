// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.talos.thrift.MessageBlock;
import org.talos.thrift.MessageCompressionType;

/** The bytes of the examples in docs/formats/stream.md, and of RFC 6455. */
class StreamMessagesTest {
    private static ByteBuffer bytes(String hex) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
    }

    private static String hex(ByteBuffer bytes) {
        byte[] all = new byte[bytes.remaining()];
        bytes.get(all);
        return HexFormat.of().formatHex(all);
    }

    private static MessageBlock hello() {
        MessageBlock block =
                new MessageBlock(0, 1, MessageCompressionType.NONE, ByteBuffer.wrap("hello".getBytes(UTF_8)));
        block.setCreateTimestamp(1_700_000_000_000L);
        return block;
    }

    @Test
    void messagesAreWrittenAsThePageHasThem() {
        assertThat(hex(StreamMessages.putHead(true, 3, 7, hello())))
                .isEqualTo("01010000000000030000000000000007000000010000018bcfe5680000000005");
        assertThat(hex(StreamMessages.subscribe(3, -1))).isEqualTo("0300000000000003ffffffffffffffff");
        assertThat(hex(StreamMessages.unsubscribe(3))).isEqualTo("0400000000000003");
        assertThat(hex(StreamMessages.grant(65_536))).isEqualTo("0500000000010000");
    }

    @Test
    void messagesAreReadAsThePageHasThem() throws Exception {
        assertThat(StreamMessages.read(bytes("81000000002000000020000000000004")))
                .isEqualTo(new ServerMessage.Opened(2 << 20, 2 << 20, 4));
        assertThat(StreamMessages.read(bytes("8200000000000001000000030000000000000007000000000000000c")))
                .isEqualTo(new ServerMessage.Stored(List.of(new ServerMessage.Place(3, 7, 12))));
        assertThat(StreamMessages.read(bytes("8400000000000025"))).isEqualTo(new ServerMessage.Credit(37));
        assertThat(StreamMessages.read(bytes("8a000000000000fa"))).isEqualTo(new ServerMessage.Move(250));
    }

    @Test
    void blockIsReadAsThePageHasIt() throws Exception {
        ServerMessage.Block read = (ServerMessage.Block) StreamMessages.read(
                bytes("8500000000000003000000000000000c000000000000000c000000000000000d000000010000018bcfe5680000000000"
                        + "00000000000000000000000568656c6c6f"));

        assertThat(read.partition()).isEqualTo(3);
        assertThat(read.asked()).isEqualTo(12);
        assertThat(read.end()).isEqualTo(13);
        assertThat(read.cost()).isEqualTo(65);
        assertThat(read.block().getStartMessageOffset()).isEqualTo(12);
        assertThat(new String(read.block().getMessageBlock(), UTF_8)).isEqualTo("hello");
    }

    @Test
    void problemIsReadWhateverElseItHas() throws Exception {
        String json = "{ \"type\":\"about:blank\", \"status\": 503,\"nested\":{\"code\":[\"x\\\"\",{}]},"
                + "\"detail\":\"a \\\"quoted\\\" \\u00e4\",\"code\":\"partition-not-serving\",\"retryable\":true,\"skip\":12}";
        byte[] text = json.getBytes(UTF_8);
        ByteBuffer message = ByteBuffer.allocate(16 + text.length)
                .put(bytes("83010000000000030000000000000008"))
                .put(text)
                .flip();

        ServerMessage.Refused refused = (ServerMessage.Refused) StreamMessages.read(message);

        assertThat(refused.surelyNotDone()).isFalse();
        assertThat(refused.number()).isEqualTo(8);
        assertThat(refused.problem().code()).isEqualTo("PARTITION_NOT_SERVING");
        assertThat(refused.problem().detail()).isEqualTo("a \"quoted\" ä");
        assertThat(refused.problem().status()).isEqualTo(503);
        assertThat(refused.problem().retryable()).isTrue();
        assertThat(refused.problem().number("skip", 0)).isEqualTo(12);
    }

    @Test
    void whatIsNoProblemIsOneOfWhichNothingIsKnown() {
        for (String text : List.of("", "{", "{\"code\"", "{\"code\":\"x", "{\"a\":[", "[]", "{\"a\":{\"b\":\"\\u12")) {
            assertThat(StreamProblem.read(ByteBuffer.wrap(text.getBytes(UTF_8))).status())
                    .isZero();
        }
    }

    @Test
    void messagesOfLyingLengthsAreRefused() {
        for (String hex : List.of("", "81", "8100000000200000", "840000", "99000000", "85000000000000030000")) {
            assertThatThrownBy(() -> StreamMessages.read(bytes(hex))).as(hex).isInstanceOf(ProtocolException.class);
        }
    }

    @Test
    void framesAreMaskedWhateverTheirLengthAndParts() throws Exception {
        for (int length : List.of(0, 1, 7, 125, 126, 1_000, 65_535, 65_536, 200_001)) {
            byte[] payload = new byte[length];
            for (int i = 0; i < length; i++) {
                payload[i] = (byte) (i * 31);
            }
            BytesWire wire = new BytesWire(new byte[0]);
            FrameWriter writer = new FrameWriter(wire);
            int cut = length / 3;
            writer.write(
                    FrameWriter.BINARY,
                    List.of(ByteBuffer.wrap(payload, 0, cut), ByteBuffer.wrap(payload, cut, length - cut)));
            writer.flush();

            assertThat(unmasked(wire.sent(), length)).isEqualTo(payload);
        }
    }

    private static byte[] unmasked(byte[] frame, int length) {
        int at = length < 126 ? 2 : length < 65_536 ? 4 : 10;
        assertThat(frame).hasSize(at + 4 + length);
        byte[] payload = new byte[length];
        for (int i = 0; i < length; i++) {
            payload[i] = (byte) (frame[at + 4 + i] ^ frame[at + (i & 3)]);
        }
        return payload;
    }

    @Test
    void messageInPiecesWithAPingBetweenIsPutTogether() throws Exception {
        FrameReader reader = reader("0203616263" + "890170" + "000464656667" + "800168" + "820178", 100);

        assertThat(text(reader.next())).isEqualTo("9 p");
        assertThat(text(reader.next())).isEqualTo("2 abcdefgh");
        assertThat(text(reader.next())).isEqualTo("2 x");
        assertThatThrownBy(reader::next).isInstanceOf(IOException.class);
    }

    @Test
    void framesThatNoServerSendsEndTheStream() {
        for (String hex :
                List.of("8281000000", "c20161", "8001610", "82027f", "827e0065", "827fffffffffffffffff", "097e")) {
            String even = hex.length() % 2 == 0 ? hex : hex + "0";
            assertThatThrownBy(() -> reader(even, 100).next()).as(hex).isInstanceOf(IOException.class);
        }
    }

    private static FrameReader reader(String hex, int most) {
        return new FrameReader(new BytesWire(HexFormat.of().parseHex(hex)), most);
    }

    private static String text(FrameReader.Received received) {
        return received.opcode() + " " + UTF_8.decode(received.payload());
    }
}
